/** What a search may be told: a cost that only a cheaper answer beats, and a gap that is good enough. */
import { beforeAll, describe, expect, it } from 'vitest';
import { evaluateCost } from '../../../src/policy/cost.js';
import { Budget } from '../../../src/problems/budget.js';
import { branch } from '../../../src/solvers/linear/branch.js';
import { branchQuadratic } from '../../../src/solvers/projection/branch-quadratic.js';
import { ccp } from '../../../src/solvers/quadratic/ccp.js';
import { sdp } from '../../../src/solvers/quadratic/sdp.js';
import type { Limits, Prepared, Solver } from '../../../src/solvers/solver.js';
import { Dice } from '../../support/dice.js';
import { type Posed, patient, pose } from '../../support/quadratic-problems.js';
import { type Ground, type Rough, roughProblem } from '../../support/rough-problems.js';

const GROUND: Ground = { powers: [0, 0], spread: 0, features: 6, links: 1, classes: 3, steps: 0.6 };
type Norm = NonNullable<Ground['norm']>;
const SEARCHES: readonly (readonly [Solver, Norm])[] = [
  [branch, 'l0'],
  [branch, 'l1'],
  [branch, 'percentile'],
  [branchQuadratic, 'l2'],
];

interface Solved extends Rough {
  readonly prepared: Prepared;
  readonly optimum: number;
}

/** Problems with an answer that is proved to be the best. */
function solvedProblems(solver: Solver, norm: Norm, count: number): Solved[] {
  const dice = new Dice(11);
  const found: Solved[] = [];
  while (found.length < count) {
    const rough = roughProblem(dice, { ...GROUND, norm });
    const prepared = solver.prepare(rough.problem, []);
    const { status, x } = prepared.solve(rough.domain, patient);
    if (status === 'solved') found.push({ ...rough, prepared, optimum: costOf(rough, x!) });
  }
  return found;
}

const costOf = ({ problem: { cost, space }, domain }: Rough, x: Float64Array): number =>
  evaluateCost(cost, space, domain.origin, x);

describe.each(SEARCHES.map(([solver, norm]) => [solver.name, norm, solver] as const))(
  '%s under %s',
  (_, norm, solver) => {
    let problems: Solved[];
    beforeAll(() => {
      problems = solvedProblems(solver, norm, 15);
    });

    const solve = ({ prepared, domain }: Solved, limits: Partial<Limits>) =>
      prepared.solve(domain, { ...patient, ...limits });

    it('finds what is cheaper than the answer in hand', () => {
      for (const problem of problems) {
        const { status, x } = solve(problem, { cutoff: 1.2 * problem.optimum });
        expect(status).toBe('solved');
        expect(costOf(problem, x!)).toBeLessThanOrEqual(problem.optimum * (1 + 1e-6));
      }
    });

    it('proves that nothing is cheaper, and does not call that infeasible', () => {
      for (const problem of problems) {
        const { status, lowerBound } = solve(problem, { cutoff: 0.7 * problem.optimum });
        expect(status).not.toBe('infeasible');
        expect(lowerBound).toBeGreaterThanOrEqual(0.7 * problem.optimum * (1 - 1e-6));
        expect(lowerBound).toBeLessThanOrEqual(problem.optimum * (1 + 1e-9));
      }
    });

    it('stops within the gap, with a bound that is true', () => {
      for (const problem of problems) {
        const { x, lowerBound } = solve(problem, { gap: 0.3 });
        expect(lowerBound).toBeGreaterThanOrEqual(0.7 * costOf(problem, x!) * (1 - 1e-9));
        expect(lowerBound).toBeLessThanOrEqual(problem.optimum * (1 + 1e-9));
      }
    });

    it('ends by its effort with a bound that is true', () => {
      for (const problem of problems) {
        const budget = new Budget(0, { now: () => 0 }, Infinity);
        const { status, x, lowerBound } = solve(problem, { budget });
        expect(['solved', 'limit']).toContain(status);
        if (x) expect(problem.problem.holds(x)).toBe(true);
        expect(lowerBound).toBeLessThanOrEqual(problem.optimum * (1 + 1e-9));
      }
    });
  },
);

describe.each([sdp, ccp].map((solver) => [solver.name, solver] as const))('%s', (_, solver) => {
  const dice = new Dice(5);
  const policy = { cost: { norm: 'l2' } };
  const posed: Posed[] = Array.from({ length: 6 }, () => pose(dice, { family: 'qda', size: 3, classes: 3, policy }));
  const cases = posed.flatMap(({ problems, domain }) => problems.map((problem) => ({ problem, domain })));

  it('claims no more than that nothing is cheaper than the answer in hand', () => {
    for (const one of cases) {
      const prepared = solver.prepare(one.problem, []);
      const whole = prepared.solve(one.domain, patient);
      const best = whole.x ? costOf(one, whole.x) : Infinity;
      const told = prepared.solve(one.domain, { ...patient, cutoff: 0.5 * whole.lowerBound });
      expect(told.status).toBe(whole.status === 'infeasible' ? 'infeasible' : 'limit');
      expect(told.lowerBound).toBeLessThanOrEqual(best * (1 + 1e-9));
    }
  });

  it('does no more work than without an answer in hand, where ccp does less', () => {
    const workOf = (more: Partial<Limits>) => {
      const budget = new Budget(Infinity, { now: () => 0 }, Infinity);
      for (const { problem, domain } of cases)
        solver.prepare(problem, []).solve(domain, { ...patient, budget, ...more });
      return budget.spent;
    };
    const whole = workOf({});
    expect(workOf({ cutoff: 1e-9, gap: 0.9 })).toBeLessThanOrEqual(whole);
    if (solver === ccp) expect(workOf({ cutoff: 1e-9 })).toBeLessThan(whole);
  });
});
