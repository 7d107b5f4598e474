/** The knapsack against a search of all combinations: no combination is cheaper, and no bound is above the cheapest one. */
import { describe, expect, it } from 'vitest';
import { gather } from '../../../src/models/features.js';
import { evaluateCost } from '../../../src/policy/cost.js';
import { solvers } from '../../../src/solvers/index.js';
import { knapsack } from '../../../src/solvers/knapsack/knapsack.js';
import { isAnswer } from '../../../src/solvers/shared/answer-check.js';
import { type AskedProblem, enumeratedCost } from '../../support/asked-problem.js';
import { Dice } from '../../support/dice.js';
import { patient } from '../../support/quadratic-problems.js';
import { drawSum, SLAB_KINDS, SUM_KINDS } from '../../support/random-sums.js';

const NORMS = ['l0', 'l1', 'l2', 'percentile'] as const;

function check(asked: AskedProblem, name: string): boolean {
  const { problem, domain, model, values } = asked;
  const known = enumeratedCost(asked);
  const outcome = knapsack.prepare(problem, solvers).solve(domain, patient);
  if (known === Infinity) {
    expect(outcome.status, name).toBe('infeasible');
    return false;
  }
  expect(outcome.status, name).toBe('solved');
  expect(isAnswer(problem, domain, outcome.x!), name).toBe(true);
  const to = new Float64Array(model.space.features.length);
  gather(model.space, outcome.x!, to);
  expect(evaluateCost(problem.cost, model.space, values, to), name).toBeCloseTo(known, 9);
  expect(outcome.lowerBound, name).toBeLessThanOrEqual(known * (1 + 1e-12));
  return true;
}

describe.each(SUM_KINDS)('one sum, %s', (kind) => {
  it.each(NORMS)('%s: finds the cheapest combination and proves it', (norm) => {
    let feasible = 0;
    for (let seed = 1; seed <= 60; seed++) {
      const dice = new Dice(1000 * NORMS.indexOf(norm) + seed);
      const asked = drawSum(dice, kind, norm, { narrow: seed % 3 === 0 });
      if (!asked || knapsack.accepts(asked.problem, solvers) === 'no') continue;
      if (check(asked, `seed ${seed}`)) feasible++;
    }
    expect(feasible).toBeGreaterThan(10);
  });
});

describe.each(SLAB_KINDS)('one sum, %s', (kind) => {
  it.each(NORMS)('%s: proves what it finds, and no bound is too high', (norm) => {
    let solved = 0;
    for (let seed = 1; seed <= 60; seed++) {
      const asked = drawSum(new Dice(7000 + 1000 * NORMS.indexOf(norm) + seed), kind, norm);
      if (!asked || knapsack.accepts(asked.problem, solvers) === 'no') continue;
      const { status, lowerBound } = knapsack.prepare(asked.problem, solvers).solve(asked.domain, patient);
      if (status === 'limit') expect(lowerBound).toBeLessThanOrEqual(enumeratedCost(asked) * (1 + 1e-12));
      else if (check(asked, `seed ${seed}`)) solved++;
    }
    expect(solved).toBeGreaterThan(5);
  });
});
