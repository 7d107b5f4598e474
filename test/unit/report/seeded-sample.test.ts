import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeededSample } from '../../../src/report/summary/seeded-sample.js';

describe('a seeded sample', () => {
  it('does not depend on the order of the items, also with a limit of bytes', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 120 });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 200 }), (items, most, bytes) => {
        const draw = (order: readonly number[]) => {
          const sample = new SeededSample<number>(most, 7, bytes, (i) => items[i]);
          for (const i of order) sample.offer(i, () => i);
          return sample.take();
        };
        const all = items.map((_, i) => i);
        const drawn = draw(all);
        expect(draw([...all].reverse())).toEqual(drawn);
        expect(drawn.length).toBeLessThanOrEqual(most);
        expect(drawn.reduce((sum, i) => sum + items[i], 0)).toBeLessThanOrEqual(bytes);
      }),
    );
  });

  it('is all of few items', () => {
    const sample = new SeededSample<string>(5, 1);
    for (const [i, item] of ['a', 'b', 'c'].entries()) sample.offer(i, () => item);
    expect(sample.take()).toEqual(['a', 'b', 'c']);
  });

  it('gives every item the same chance', () => {
    const hits = Array<number>(50).fill(0);
    for (let seed = 0; seed < 2000; seed++) {
      const sample = new SeededSample<number>(10, seed);
      for (let i = 0; i < 50; i++) sample.offer(i, () => i);
      for (const i of sample.take()) hits[i]++;
    }
    // 400 expected, standard deviation 18
    for (const count of hits) expect(Math.abs(count - 400)).toBeLessThan(80);
  });

  it('makes few items of a long stream', () => {
    const sample = new SeededSample<number>(100, 1);
    let made = 0;
    for (let i = 0; i < 100_000; i++) sample.offer(i, () => ++made);
    expect(sample.take()).toHaveLength(100);
    expect(made).toBeLessThan(2500);
  });
});
