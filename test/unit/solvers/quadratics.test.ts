import { describe, expect, it } from 'vitest';
import { evaluateCost } from '../../../src/policy/cost.js';
import { Budget, unlimited } from '../../../src/problems/budget.js';
import { atomsOf } from '../../../src/problems/problem.js';
import { solvers } from '../../../src/solvers/index.js';
import { cheapestL2 } from '../../../src/solvers/linear/polyhedral.js';
import { ccp } from '../../../src/solvers/quadratic/ccp.js';
import { COARSE, type DescentProblem, descend, FINE, restore } from '../../../src/solvers/quadratic/ccp-descent.js';
import { quadraticDual } from '../../../src/solvers/quadratic/quadratic-dual.js';
import { spatial } from '../../../src/solvers/quadratic/spatial.js';
import { branchAround } from '../../../src/solvers/reductions/branch-around.js';
import { Dice } from '../../support/dice.js';
import { patient, pose, within } from '../../support/quadratic-problems.js';

const FAMILIES = ['qda', 'gaussian-naive-bayes', 'lvq'] as const;

/** The cheapest point of a fine polar grid that has the target, in two dimensions. */
function cheapestOnGrid(
  holds: (x: Float64Array) => boolean,
  row: Float64Array,
  norm: 'l1' | 'l2',
  reach: number,
): number {
  let best = Infinity;
  for (let i = 0; i < 360; i++) {
    const [dx, dy] = [Math.cos((i / 180) * Math.PI), Math.sin((i / 180) * Math.PI)];
    for (let r = 0; r <= 150; r++) {
      const radius = (r / 150) * reach;
      const cost = norm === 'l1' ? radius * (Math.abs(dx) + Math.abs(dy)) : radius * radius;
      if (cost < best && holds(Float64Array.of(row[0] + radius * dx, row[1] + radius * dy))) best = cost;
    }
  }
  return best;
}

describe.each(['l1', 'l2'] as const)('quadratic regions under %s', (norm) => {
  it('are left by no grid point cheaper than the proved optimum', () => {
    const dice = new Dice(norm === 'l1' ? 11 : 12);
    for (let k = 0; k < 30; k++) {
      const { problems, domain, row } = pose(dice, {
        family: dice.pick([...FAMILIES]),
        size: 2,
        policy: { cost: { norm } },
      });
      for (const problem of problems.filter(({ piece }) => piece.atoms.length)) {
        const outcome = spatial.prepare(problem, solvers).solve(domain, within(3000));
        if (!outcome.x) continue;
        const cost = evaluateCost(problem.cost, problem.space, row, outcome.x);
        expect(atomsOf(problem, 'quadratic').every(({ form }) => form.value(outcome.x!) <= 0)).toBe(true);
        expect(outcome.lowerBound).toBeLessThanOrEqual(cost * (1 + 1e-9));
        if (outcome.status !== 'solved') continue;
        const reach = (norm === 'l1' ? cost : Math.sqrt(cost)) * 1.01;
        const inPiece = (x: Float64Array) =>
          atomsOf(problem, 'quadratic').every(({ form }) => form.value(x) <= 0) &&
          problem.piece.rows.every((r) => r.a[0] * x[0] + r.a[1] * x[1] <= r.upper);
        expect(cheapestOnGrid(inPiece, row, norm, reach)).toBeGreaterThan(cost * (1 - 1e-5));
      }
    }
  });

  it('give the local procedure and the proved search the same bound to respect', () => {
    const dice = new Dice(norm === 'l1' ? 21 : 22);
    for (let k = 0; k < 20; k++) {
      const { problems, domain, row } = pose(dice, {
        family: dice.pick([...FAMILIES]),
        size: 4,
        policy: { cost: { norm } },
      });
      for (const problem of problems.filter(({ piece }) => piece.atoms.length)) {
        const local = ccp.prepare(problem, solvers).solve(domain, within(3000));
        const proved = spatial.prepare(problem, solvers).solve(domain, within(3000));
        if (!local.x || !proved.x) continue;
        const localCost = evaluateCost(problem.cost, problem.space, row, local.x);
        const provedCost = evaluateCost(problem.cost, problem.space, row, proved.x);
        expect(provedCost).toBeLessThanOrEqual(localCost * (1 + 1e-6));
        expect(proved.lowerBound).toBeLessThanOrEqual(localCost * (1 + 1e-9));
        expect(local.lowerBound).toBeLessThanOrEqual(provedCost * (1 + 1e-9));
      }
    }
  });
});

describe('the dual', () => {
  it('is never above an answer, and says solved only where it is one', () => {
    const dice = new Dice(31);
    let exact = 0;
    let posed = 0;
    for (let k = 0; k < 60; k++) {
      const { problems, domain, row } = pose(dice, {
        family: dice.pick([...FAMILIES]),
        size: 6,
        policy: { cost: { norm: 'l2' }, features: { f0: { change: 'never' }, f1: { change: 'increase' } } },
      });
      for (const problem of problems.filter(({ piece }) => piece.atoms.length)) {
        posed++;
        const outcome = quadraticDual.prepare(problem, solvers).solve(domain, within(3000));
        const local = ccp.prepare(problem, solvers).solve(domain, within(3000));
        if (local.x)
          expect(outcome.lowerBound).toBeLessThanOrEqual(
            evaluateCost(problem.cost, problem.space, row, local.x) * (1 + 1e-7),
          );
        if (outcome.status !== 'solved') continue;
        exact++;
        const cost = evaluateCost(problem.cost, problem.space, row, outcome.x!);
        expect(cost).toBeCloseTo(outcome.lowerBound, 5);
        expect(outcome.x![0]).toBe(row[0]);
        expect(outcome.x![1]).toBeGreaterThanOrEqual(row[1]);
      }
    }
    expect(exact).toBeGreaterThan(0.5 * posed);
  });
});

describe('the convex-concave procedure', () => {
  const random = (dice: Dice, d: number): DescentProblem => {
    const psd = () => {
      const root = dice.matrix(d, d);
      return Float64Array.from(
        root.flatMap((a) => root.map((b) => a.reduce((total, value, k) => total + value * b[k], 0) / d)),
      );
    };
    const quadratics = Array.from({ length: dice.integer(1, 3) }, () => ({
      N: psd(),
      F: psd(),
      b: Float64Array.from(dice.vector(d)),
      c: dice.between(0.1, 2),
      depth: 1e-12,
    }));
    const square = (y: Float64Array) => y.reduce((total, value) => total + value * value, 0);
    return {
      quadratics,
      rows: [],
      lo: new Float64Array(d).fill(-50),
      hi: new Float64Array(d).fill(50),
      cheapest: cheapestL2,
      cost: square,
      budget: unlimited(),
    };
  };

  it('never ends worse than it starts, and a finer descent never worse than a rough one', () => {
    const dice = new Dice(41);
    let runs = 0;
    for (let k = 0; k < 80; k++) {
      const problem = random(dice, dice.integer(2, 6));
      const start = restore(
        problem,
        Float64Array.from(problem.lo, () => 3 * dice.normal()),
      );
      if (!start) continue;
      runs++;
      const rough = descend(problem, start, COARSE);
      const fine = descend(problem, start, FINE);
      expect(rough.cost).toBeLessThanOrEqual(problem.cost(start));
      expect(fine.cost).toBeLessThanOrEqual(rough.cost * (1 + 1e-9));
    }
    expect(runs).toBeGreaterThan(40);
  });
});

describe('integers and caps around quadratics', () => {
  it('agree with the enumeration of all lattice points', () => {
    const dice = new Dice(51);
    for (let k = 0; k < 25; k++) {
      const rule = { step: 0.5, maxIncrease: 1.5, maxDecrease: 1.5 };
      const norm = dice.pick(['l1', 'l2']);
      const maxChanges = dice.pick([1, 2, 3]);
      const { problems, domain, row } = pose(dice, {
        family: dice.pick(['qda', 'gaussian-naive-bayes']),
        size: 3,
        policy: { cost: { norm }, features: { f0: rule, f1: rule, f2: rule }, maxChanges },
      });
      let best = Infinity;
      for (let n = 0; n < 343; n++) {
        const moves = [n % 7, Math.floor(n / 7) % 7, Math.floor(n / 49)].map((m) => 0.5 * (m - 3));
        const x = row.map((value, i) => value + moves[i]);
        if (moves.filter((m) => m !== 0).length <= maxChanges && problems[0].holds(x))
          best = Math.min(best, evaluateCost(problems[0].cost, problems[0].space, row, x));
      }
      let found = Infinity;
      for (const problem of problems) {
        expect(branchAround.accepts(problem, solvers)).toBe('exact');
        const outcome = branchAround.prepare(problem, solvers).solve(domain, within(25_000));
        expect(['solved', 'infeasible']).toContain(outcome.status);
        if (outcome.x) found = Math.min(found, evaluateCost(problem.cost, problem.space, row, outcome.x));
      }
      if (best === Infinity) expect(found).toBe(Infinity);
      else expect(found).toBeCloseTo(best, 6);
    }
  });
});

it('QDA of three classes and twelve features under l1 is proved, or nearly so, within counted work', () => {
  const dice = new Dice(77);
  const gaps: number[] = [];
  for (let k = 0; k < 8; k++) {
    const { problems, domain, row } = pose(dice, {
      family: 'qda',
      size: 12,
      classes: 3,
      policy: { cost: { norm: 'l1' } },
    });
    const limits = { ...patient, budget: new Budget(15_000, { now: () => 0 }, 60_000) };
    const { x, lowerBound } = spatial.prepare(problems[0], solvers).solve(domain, limits);
    gaps.push(1 - lowerBound / evaluateCost(problems[0].cost, problems[0].space, row, x!));
  }
  expect(gaps.filter((gap) => gap < 1e-6).length).toBeGreaterThanOrEqual(3);
  expect(Math.max(...gaps)).toBeLessThan(0.05);
});
