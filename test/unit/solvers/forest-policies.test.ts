/** forest-exact against enumeration where policies and data are at their worst. */

import { describe, expect, it } from 'vitest';
import { solvers } from '../../../src/solvers/index.js';
import { forestExact } from '../../../src/solvers/trees/exact/forest-exact.js';
import { Dice } from '../../support/dice.js';
import { within } from '../../support/quadratic-problems.js';
import { checkAgainstAll, LATTICE_CONSTRAINTS, LATTICES, MIXED, pose, TROUBLES } from '../../support/tree-problems.js';

const NORMS = ['l0', 'l1', 'l2', 'percentile'];
const SMALL = MIXED.filter(({ name }) => name !== 'd');

describe.each(NORMS)('an ensemble under %s', (norm) => {
  it.each(TROUBLES)('is answered as by enumeration of all cells: %s', (_, options) => {
    const dice = new Dice(norm.length + 5 * norm.charCodeAt(1));
    let found = 0;
    for (let k = 0; k < 16; k++) {
      const posed = pose(dice, { family: 'tree-ensemble', features: SMALL, norm, ...options });
      if (posed.problem && checkAgainstAll(forestExact, posed)) found++;
    }
    expect(found).toBeGreaterThan(3);
  });

  it.each(['decision-tree', 'tree-ensemble'] as const)(
    'keeps constraints between features, as by enumeration of all lattice points: %s',
    (family) => {
      const dice = new Dice(norm.length * 11);
      let found = 0;
      for (let k = 0; k < 30; k++) {
        const constraints = LATTICE_CONSTRAINTS.filter(() => dice.chance(0.6));
        const options = { sets: dice.chance(0.3), missing: dice.chance(0.2), narrowed: dice.chance(0.2) };
        const posed = pose(dice, { family, features: LATTICES, norm, constraints, ...options });
        if (posed.problem && checkAgainstAll(forestExact, posed)) found++;
      }
      expect(found).toBeGreaterThan(7);
    },
  );
});

describe('a search without memory', () => {
  it('goes down instead of along, and proves the same', () => {
    const dice = new Dice(3);
    let searched = 0;
    for (let k = 0; k < 60; k++) {
      const { problem, domain } = pose(dice, { family: 'tree-ensemble', features: MIXED, norm: 'l1' });
      if (!problem) continue;
      const prepared = forestExact.prepare(problem, solvers);
      const { status, lowerBound } = prepared.solve(domain, within(5000));
      const lean = prepared.solve(domain, { ...within(5000), memoryMb: 0 });
      expect(lean.status).toBe(status);
      if (status === 'solved')
        expect(Math.abs(lean.lowerBound - lowerBound)).toBeLessThanOrEqual(1e-6 * lowerBound + 1e-12);
      searched++;
    }
    expect(searched).toBeGreaterThan(30);
  });
});
