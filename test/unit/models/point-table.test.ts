/** Values by point, against a map whose keys are the bits of the points as text. */
import { describe, expect, it } from 'vitest';
import { PointTable } from '../../../src/models/point-table.js';
import { Dice } from '../../support/dice.js';

const textOf = (point: Float64Array): string => Buffer.from(point.slice().buffer).toString('hex');

describe('a table of points', () => {
  it('gives what a map of their bits gives', () => {
    const dice = new Dice(3);
    const table = new PointTable<number>();
    const expected = new Map<string, number>();
    for (let k = 0; k < 3000; k++) {
      const point = Float64Array.from({ length: dice.integer(1, 3) }, () => dice.integer(0, 12) / 4);
      if (dice.integer(0, 3) === 0) {
        table.delete(point);
        expected.delete(textOf(point));
      } else {
        table.set(point, k);
        expected.set(textOf(point), k);
      }
      const other = Float64Array.of(dice.integer(0, 12) / 4, dice.integer(0, 12) / 4);
      expect(table.get(other)).toBe(expected.get(textOf(other)));
      expect(table.has(other)).toBe(expected.has(textOf(other)));
      expect(table.size).toBe(expected.size);
    }
  });

  it('keeps 0 and -0 apart, and finds points that are no numbers or long', () => {
    const table = new PointTable<string>();
    table.set(Float64Array.of(0), 'zero');
    table.set(Float64Array.of(Number.NaN, 1), 'none');
    const long = Float64Array.from({ length: 500 }, (_, k) => k);
    table.set(long, 'long');
    expect(table.get(Float64Array.of(-0))).toBeUndefined();
    expect(table.get(Float64Array.of(Number.NaN, 1))).toBe('none');
    expect(table.get(long.slice())).toBe('long');
    expect(table.get(long.with(499, 0))).toBeUndefined();
  });

  it('keeps points of one hash apart', () => {
    const table = new PointTable<number>();
    const points = Array.from({ length: 200_000 }, (_, k) => Float64Array.of(k / 1000, -k));
    for (const [k, point] of points.entries()) table.set(point, k);
    for (let k = 0; k < points.length; k += 2) table.delete(points[k]);
    expect(table.size).toBe(100_000);
    expect(points.every((point, k) => table.get(point) === (k % 2 ? k : undefined))).toBe(true);
  });
});
