import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differencesOf } from '../../../src/jobs/verify/differences.js';

describe('differences', () => {
  it('name the places with both values, in order', () => {
    const before = { a: 1, b: { c: [1, 2] }, gone: null };
    const after = { a: 1, b: { c: [1, 3, 4] }, come: true };
    expect(differencesOf(before, after, 10)).toEqual([
      { path: 'b.c[1]', before: '2', after: '3' },
      { path: 'b.c[2]', before: undefined, after: '4' },
      { path: 'gone', before: 'null', after: undefined },
      { path: 'come', before: undefined, after: 'true' },
    ]);
    expect(differencesOf(before, after, 2)).toHaveLength(2);
  });

  it('tell lists, objects and nothing apart', () => {
    expect(differencesOf([], {}, 5)).toEqual([{ path: '', before: '[]', after: '{}' }]);
    expect(differencesOf({ a: null }, { a: {} }, 5)).toEqual([{ path: 'a', before: 'null', after: '{}' }]);
  });

  it('are none exactly where the values are the same', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const copy: unknown = JSON.parse(JSON.stringify(one));
        expect(differencesOf(JSON.parse(JSON.stringify(one)), copy, 1)).toEqual([]);
        const text = (value: unknown) => JSON.stringify(sorted(value));
        const [left, right] = [one, other].map((value) => JSON.parse(JSON.stringify(value)) as unknown);
        expect(differencesOf(left, right, 1).length).toBe(text(left) === text(right) ? 0 : 1);
      }),
    );
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const keys = Object.keys(value).sort();
  return keys.map((key) => [key, sorted((value as Record<string, unknown>)[key])]).concat([['{}', null]]);
}
