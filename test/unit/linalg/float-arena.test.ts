import { expect, it } from 'vitest';
import { FloatArena } from '../../../src/linalg/float-arena.js';

it('gives zeros that no other array shares', () => {
  const arena = new FloatArena();
  const lengths = Array.from({ length: 600 }, (_, k) => (k * 37) % 400);
  const arrays = lengths.map((length, k) => {
    const taken = arena.take(length);
    expect(taken.length).toBe(length);
    expect(taken.every((value) => value === 0)).toBe(true);
    return taken.fill(k + 1);
  });
  for (const [k, taken] of arrays.entries()) expect(taken.every((value) => value === k + 1)).toBe(true);
});
