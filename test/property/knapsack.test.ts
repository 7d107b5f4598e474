/**
 * The knapsack against the other exact methods, where features are continuous and no search of all combinations is possible: the answers of two
 * methods cost the same, and no bound is above the answer of the other one.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FeatureDocument } from '../../src/documents/model-document.js';
import { gather } from '../../src/models/features.js';
import { evaluateCost } from '../../src/policy/cost.js';
import { Budget } from '../../src/problems/budget.js';
import { additive } from '../../src/solvers/additive/additive.js';
import { solvers } from '../../src/solvers/index.js';
import { knapsack } from '../../src/solvers/knapsack/knapsack.js';
import { branch } from '../../src/solvers/linear/branch.js';
import { branchQuadratic } from '../../src/solvers/projection/branch-quadratic.js';
import { isAnswer } from '../../src/solvers/shared/answer-check.js';
import type { Outcome, Solver } from '../../src/solvers/solver.js';
import type { AskedProblem } from '../support/asked-problem.js';
import { Dice } from '../support/dice.js';
import { patient } from '../support/quadratic-problems.js';
import { DISCRETE, drawSum } from '../support/random-sums.js';

const CONTINUOUS: FeatureDocument[] = [
  { name: 'u', type: 'continuous', min: -3, max: 3 },
  { name: 'v', type: 'continuous', min: -2, max: 5 },
  { name: 'w', type: 'continuous' },
];
const EFFORT = 10_000;
/** Methods of different means agree up to the gap that counts as none. */
const SAME = 2e-6;

const costOf = ({ model, problem, values }: AskedProblem, { x }: Outcome): number => {
  if (!x) return Infinity;
  const to = new Float64Array(model.space.features.length);
  gather(model.space, x, to);
  return evaluateCost(problem.cost, model.space, values, to);
};

function agree(asked: AskedProblem, other: Solver): void {
  const { problem, domain } = asked;
  const [own, second] = [knapsack, other].map((solver) => {
    const limits = { ...patient, budget: new Budget(EFFORT, { now: () => 0 }, Infinity) };
    const outcome = solver.prepare(problem, solvers).solve(domain, limits);
    return { ...outcome, x: outcome.x?.slice() ?? null };
  });
  expect(own.status === 'solved' || own.status === 'infeasible').toBe(true);
  if (own.x) expect(isAnswer(problem, domain, own.x)).toBe(true);
  const [cost, known] = [costOf(asked, own), costOf(asked, second)];
  expect(own.lowerBound).toBeLessThanOrEqual(known * (1 + 1e-9));
  if (second.status === 'solved') expect(Math.abs(cost - known)).toBeLessThanOrEqual(SAME * known);
}

const OTHERS = [
  ['row', 'l0', branch],
  ['row', 'l1', branch],
  ['row', 'percentile', branch],
  ['row', 'l2', branchQuadratic],
  ['gaussian', 'l0', additive],
  ['gaussian', 'l1', additive],
  ['gaussian', 'l2', additive],
  ['gaussian', 'percentile', additive],
] as const;

describe.each(OTHERS)('one sum over continuous and other features: %s, %s', (kind, norm, other) => {
  it('costs what the other method finds', () => {
    const property = (seed: number) => {
      const dice = new Dice(seed);
      const features = [...dice.shuffle(CONTINUOUS).slice(0, 2), ...dice.shuffle(DISCRETE).slice(0, 2)];
      const asked = drawSum(dice, kind, norm, { features });
      if (asked && knapsack.accepts(asked.problem, solvers) === 'exact') agree(asked, other);
    };
    fc.assert(fc.property(fc.nat(1e6), property), { numRuns: 40, seed: Number(process.env.FC_SEED ?? 3) });
  });
});
