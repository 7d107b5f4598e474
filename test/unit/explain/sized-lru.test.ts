import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SizedLru } from '../../../src/explain/sized-lru.js';

describe('a cache within a budget', () => {
  it('drops what was used longest ago', () => {
    const cache = new SizedLru<string>(10);
    cache.set('a', 'A', 4);
    cache.set('b', 'B', 4);
    expect(cache.get('a')).toBe('A');
    cache.set('c', 'C', 4);
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual(['A', undefined, 'C']);
    expect(cache.counts).toEqual({ hits: 3, misses: 1, evictions: 1 });
  });

  it('keeps the newest, however large it is, and nothing beside it', () => {
    const cache = new SizedLru<string>(10);
    cache.set('small', 's', 1);
    cache.set('huge', 'h', 1000);
    expect([cache.size, cache.bytes, cache.get('huge')]).toEqual([1, 1000, 'h']);
  });

  it('makes room when an entry turns out to be larger, and leaves a newer value of the key alone', () => {
    const cache = new SizedLru<string>(10);
    cache.set('a', 'A', 0);
    cache.set('b', 'B', 0);
    cache.resize('b', 'B', 8);
    cache.resize('a', 'old', 8);
    expect(cache.bytes).toBe(8);
    cache.resize('a', 'A', 8);
    expect([cache.size, cache.bytes]).toEqual([1, 8]);
  });

  it('counts its bytes right and stays within its budget but for one entry', () => {
    const step = fc.tuple(fc.constantFrom('get', 'set', 'resize', 'delete'), fc.nat(5), fc.nat(12));
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const cache = new SizedLru<number>(20);
        for (const [what, name, bytes] of steps) {
          const key = String(name);
          if (what === 'get') cache.get(key);
          else if (what === 'delete') cache.delete(key);
          else cache[what](key, name, bytes);
          expect(cache.bytes <= 20 || cache.size === 1).toBe(true);
        }
        for (let name = 0; name <= 5; name++) cache.delete(String(name));
        expect([cache.size, cache.bytes]).toEqual([0, 0]);
      }),
    );
  });
});
