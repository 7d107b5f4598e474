/** Weighted sums of distances as one distance, and conditions on exponents, against the sums themselves. */
import { describe, expect, it } from 'vitest';
import type { AffineMap } from '../../../src/linalg/affine.js';
import { fullMatrix } from '../../../src/linalg/symmetric-matrix.js';
import { type Centre, DistanceDifference } from '../../../src/models/distance-difference.js';
import { mixDistances } from '../../../src/models/distance-mixture.js';
import { exponentsOf } from '../../../src/models/exponents.js';
import { contains, type ExpQuadratics } from '../../../src/models/region.js';
import { Dice } from '../../support/dice.js';

function centreOf(dice: Dice, size: number, diagonal: boolean, far: number): Centre {
  const at = Float64Array.from({ length: size }, () => far + dice.normal());
  const entries = Float64Array.from({ length: size }, () => dice.between(0.2, 3));
  if (diagonal) return { at, matrix: { kind: 'diagonal', size, entries } };
  const root = dice.matrix(size, size);
  const rows = root.map((a, i) => root.map((b, j) => a.reduce((sum, v, k) => sum + v * b[k], i === j ? 0.3 : 0)));
  return { at, matrix: fullMatrix(rows) };
}

const distance = ({ at, matrix }: Centre, x: Float64Array) =>
  new DistanceDifference({ at, matrix }, { at, matrix: { ...matrix, entries: matrix.entries.map(() => 0) } }, 0).value(
    x,
  );

describe('a mixture of distances', () => {
  it.each([
    [true, 0],
    [false, 0],
    [false, 1e6],
    [true, 1e6],
  ])('is the sum of the distances (diagonal: %s, centres at %d)', (diagonal, far) => {
    const dice = new Dice(11);
    for (let round = 0; round < 100; round++) {
      const parts = [0.5, 0.3, 0.2].map((weight) => ({ centre: centreOf(dice, 4, diagonal, far), weight }));
      const { centre, constant, doubt } = mixDistances(parts);
      const x = Float64Array.from({ length: 4 }, () => far + 3 * dice.normal());
      const sum = parts.reduce((total, part) => total + part.weight * distance(part.centre, x), 0);
      const mixed = distance(centre, x) + constant;
      // A centre far from zero is itself rounded.
      expect(doubt).toBeLessThan(1e-9 * (1 + constant) + 1e-10 * far);
      expect(Math.abs(mixed - sum)).toBeLessThanOrEqual(doubt + 1e-12 * sum);
    }
  });

  it('of one distance is that distance', () => {
    const centre = centreOf(new Dice(1), 3, false, 0);
    expect(mixDistances([{ centre, weight: 1 }])).toEqual({ centre, constant: 0, doubt: 0 });
  });
});

const plainMap = () => null;
const scaleMap = (dice: Dice): AffineMap => ({
  matrix: null,
  diagonal: Float64Array.from({ length: 3 }, () => dice.between(0.5, 2)),
  offset: Float64Array.from({ length: 3 }, () => dice.normal()),
});

describe('a condition on exponents', () => {
  it.each([
    ['plain', plainMap, false],
    ['behind a scale', scaleMap, false],
    ['with one matrix for all', plainMap, true],
    ['with one matrix for all, behind a scale', scaleMap, true],
  ] as const)('%s holds where the exponents keep it', (_, mapOf, isShared) => {
    const dice = new Dice(5);
    for (let round = 0; round < 200; round++) {
      const drawn = Array.from({ length: 4 }, () => centreOf(dice, 3, round % 2 === 0, 0));
      const [own, ...rivals] = isShared ? drawn.map(({ at }) => ({ at, matrix: drawn[0].matrix })) : drawn;
      const map = mapOf(dice);
      const forms = rivals.map((rival) => new DistanceDifference(own, rival, dice.normal(), map));
      const sum: ExpQuadratics = { kind: 'exp-quadratics', forms, logBound: 0 };
      const [exponents] = exponentsOf([sum]);
      const a = Float64Array.from({ length: 3 }, () => dice.pick([0, 1, -1]) * dice.unit());
      const x = Float64Array.from({ length: 3 }, () => 2 * dice.normal());
      const value = exponents.at(x).reduce((total, w, j) => total + a[j] * w, 0);
      if (a.every((v) => v === 0)) continue;
      for (const side of ['eased', 'tightened'] as const) {
        expect(contains(exponents.condition(a, value + 1e-7, side, x), x)).toBe(true);
        expect(contains(exponents.condition(a, value - 1e-7, side, x), x)).toBe(false);
      }
      expect(contains(exponents.condition(a, value, 'eased', x), x)).toBe(true);
      expect(contains(exponents.condition(a, value, 'tightened', x), x)).toBe(false);
    }
  });
});
