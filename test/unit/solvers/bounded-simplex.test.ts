/** The dual simplex by itself: what it says when numbers overflow. */
import { describe, expect, it } from 'vitest';
import { BoundedSimplex, type SimplexStatus } from '../../../src/solvers/linear/bounded-simplex.js';

interface Program {
  readonly rows: readonly (readonly number[])[];
  readonly ends: readonly (readonly [number, number])[];
  readonly box: readonly (readonly [number, number])[];
}

function solve({ rows, ends, box }: Program): { status: SimplexStatus; values: Float64Array } {
  const [m, n] = [rows.length, box.length];
  const simplex = new BoundedSimplex(m, n);
  [...box, ...ends].forEach(([low, high], k) => {
    simplex.lo[k] = low;
    simplex.hi[k] = high;
  });
  const status = simplex.solve(Float64Array.from(rows.flat()), new Float64Array(n).fill(1));
  const values = new Float64Array(n);
  simplex.read(values);
  return { status, values };
}

describe('the bounded simplex', () => {
  it('finds the cheapest point', () => {
    const { status, values } = solve({
      rows: [[1, 2]],
      ends: [[4, Infinity]],
      box: [
        [0, 9],
        [0, 9],
      ],
    });
    expect(status).toBe('optimal');
    expect([...values]).toEqual([0, 2]);
  });

  it.each<[string, Program]>([
    [
      'a sum that is Infinity - Infinity',
      {
        rows: [[1e308, -1e308]],
        ends: [[0, 1]],
        box: [
          [1e10, 1e11],
          [1e10, 1e11],
        ],
      },
    ],
    [
      'an entry that is no number',
      {
        rows: [[Number.NaN, 1]],
        ends: [[1, 2]],
        box: [
          [0, 9],
          [0, 9],
        ],
      },
    ],
  ])('does not call optimal what is no number: %s', (_, program) => {
    expect(solve(program).status).toBe('numerical');
  });
});
