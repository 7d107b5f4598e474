/** Linear models behind increasing functions of columns: proofs against enumeration, and against random answers pulled to the boundary. */
import { describe, expect, it } from 'vitest';
import { additive } from '../../../src/solvers/additive/additive.js';
import { enumeratedCost } from '../../support/asked-problem.js';
import { type BentFeature, type BentSetting, bentProblem, sampledCost } from '../../support/bent-problems.js';
import { Dice } from '../../support/dice.js';
import { within } from '../../support/quadratic-problems.js';

const NORMS = ['l0', 'l1', 'l2', 'percentile'] as const;
const FAMILIES = [
  'logistic-regression',
  'hyperplane',
  'linear-regression',
  'poisson-regression',
  'softmax-regression',
] as const;
const LISTED: readonly BentFeature[] = [
  { name: 'i', type: 'integer', min: 0, max: 9 },
  { name: 'j', type: 'integer', min: -4, max: 50 },
  { name: 'b', type: 'boolean' },
  { name: 'k', type: 'categorical', categories: ['a', 'b', 'c'] },
  { name: 's', type: 'continuous', min: 0.5, max: 4.5 },
];
const MIXED: readonly BentFeature[] = [
  { name: 'p', type: 'continuous', min: 0.1, max: 30 },
  { name: 'q', type: 'continuous', min: -5, max: 5 },
  { name: 'r', type: 'continuous', min: 0, max: 400 },
  { name: 'i', type: 'integer', min: 0, max: 200 },
  { name: 'd', type: 'continuous', min: 0, max: 12, decimals: 1 },
  { name: 'k', type: 'categorical', categories: ['a', 'b', 'c'] },
];

const ROUNDS = 14;

const drawSetting = (dice: Dice, norm: string, features: Record<string, unknown>): BentSetting => ({
  family: dice.pick(FAMILIES),
  classes: 2,
  isMargin: dice.chance(0.2),
  policy: {
    cost: { norm, weights: { i: dice.between(0.2, 2), k: dice.between(0.2, 3) } },
    features: { ...features, i: dice.pick([{}, { change: 'increase' }, { maxDecrease: 3 }, { change: 'never' }]) },
    ...(dice.chance(0.4) && { maxChanges: dice.integer(1, 3) }),
  },
});

describe.each(NORMS)('sums of functions under %s', (norm) => {
  const seed = 100 * NORMS.indexOf(norm);

  it('are solved like enumeration solves them: steps, categories, caps, intervals', () => {
    const dice = new Dice(seed + 1);
    const tally = { solved: 0, infeasible: 0, other: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const asked = bentProblem(dice, LISTED, drawSetting(dice, norm, { s: { step: 0.5 } }));
      if (!asked) continue;
      expect(additive.accepts(asked.problem, [])).toBe('exact');
      const known = enumeratedCost(asked);
      const outcome = additive.prepare(asked.problem, []).solve(asked.domain, within(300));
      tally[outcome.status === 'solved' || outcome.status === 'infeasible' ? outcome.status : 'other']++;
      expect(outcome.lowerBound).toBeLessThanOrEqual(known);
      if (known === Infinity) expect(outcome.x).toBeNull();
      else if (outcome.status === 'solved') expect(outcome.lowerBound).toBeGreaterThan(known * (1 - 2e-6));
    }
    expect(tally.solved).toBeGreaterThan(0.3 * ROUNDS);
    expect(tally.other).toBe(0);
  });

  it('have no random answer below the bound: numbers, decimals, many integers', () => {
    const dice = new Dice(seed + 2);
    const tally = { solved: 0, infeasible: 0, other: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const asked = bentProblem(dice, MIXED, drawSetting(dice, norm, {}));
      if (!asked) continue;
      const outcome = additive.prepare(asked.problem, []).solve(asked.domain, within(300));
      tally[outcome.status === 'solved' || outcome.status === 'infeasible' ? outcome.status : 'other']++;
      expect(outcome.lowerBound).toBeLessThanOrEqual(sampledCost(dice, asked, 40) * (1 + 1e-12));
    }
    expect(tally.other).toBeLessThanOrEqual(0.1 * ROUNDS);
    expect(tally.solved).toBeGreaterThan(0.3 * ROUNDS);
  });
});
