/** The linear engines on badly scaled problems, judged by rational arithmetic: nothing false is proved, nearly all is solved. */
import { describe, expect, it } from 'vitest';
import { evaluateCost } from '../../../src/policy/cost.js';
import { branch } from '../../../src/solvers/linear/branch.js';
import { hyperplane } from '../../../src/solvers/linear/hyperplane.js';
import { simplex } from '../../../src/solvers/linear/simplex.js';
import type { Outcome, Solver } from '../../../src/solvers/solver.js';
import { planOf } from '../../support/asking.js';
import { Dice } from '../../support/dice.js';
import { patient } from '../../support/quadratic-problems.js';
import { exactL1, exactOptimum, type Ground, type Rough, roughProblem } from '../../support/rough-problems.js';

type Norm = NonNullable<Ground['norm']>;

const NUDGES = [1e-12, 1e-10, 1e-8, 1e-6];

interface Verdict {
  readonly status: Outcome['status'];
  readonly lowerBound: number;
  /** Of a verified answer; Infinity: there is none. */
  readonly cost: number;
}

/** As the ladder does it: deeper inside the region until the model agrees. */
function ask(solver: Solver, { problem, domain }: Rough): Verdict {
  const prepared = solver.prepare(problem, []);
  let lowerBound = Number.NEGATIVE_INFINITY;
  for (const nudge of NUDGES) {
    const { status, x, lowerBound: bound } = prepared.solve(domain, { ...patient, nudge });
    if (lowerBound === Number.NEGATIVE_INFINITY) lowerBound = bound;
    const cost = x && problem.holds(x) ? evaluateCost(problem.cost, problem.space, domain.origin, x) : Infinity;
    if (cost < Infinity || (!x && status !== 'numerical') || nudge === NUDGES.at(-1))
      return { status, lowerBound, cost };
  }
  throw new Error('there is a last nudge');
}

const SAME = 1e-6;

/** What is false in a verdict, given the optimum. */
function lies({ status, lowerBound, cost }: Verdict, optimum: number): string[] {
  return [
    ...(status === 'infeasible' && optimum < Infinity ? [`infeasible, but ${optimum} is possible`] : []),
    ...(lowerBound > optimum * (1 + 1e-9) ? [`lower bound ${lowerBound}, but ${optimum} is possible`] : []),
    ...(cost < optimum * (1 - SAME) ? [`cost ${cost} below the optimum ${optimum}`] : []),
  ];
}

const isSettled = ({ status, lowerBound, cost }: Verdict): boolean =>
  status === 'infeasible' || (cost < Infinity && lowerBound >= cost * (1 - SAME));

/** Judges some problems of a kind; returns the share that was settled. */
function judge(solver: Solver, ground: Ground, seed: number, count: number, optimumOf = exactL1): number {
  const dice = new Dice(seed);
  let settled = 0;
  for (let k = 0; k < count; k++) {
    const rough = roughProblem(dice, ground);
    const verdict = ask(solver, rough);
    const optimum = optimumOf(rough.problem, rough.domain);
    expect(lies(verdict, optimum), `seed ${seed}, problem ${k}, ${JSON.stringify(verdict)}`).toEqual([]);
    settled += +isSettled(verdict);
  }
  return settled / count;
}

describe.each<[string, number, Pick<Ground, 'powers' | 'spread'>]>([
  ['sizes from 1e-9 to 1e9', 1, { powers: [-9, 9], spread: 0 }],
  ['slopes and prices off by up to 1e3', 1, { powers: [-3, 3], spread: 3 }],
  ['slopes and prices off by up to 1e9', 0.9, { powers: [-9, 9], spread: 9 }],
])('%s', (_, least, part) => {
  it('one row and a box, hyperplane', () => {
    const ground: Ground = { ...part, features: 4, links: 0, classes: 2 };
    expect(judge(hyperplane, ground, 7, 25)).toBeGreaterThanOrEqual(least);
  });

  it.each([2, 3, 4])('links and %s classes, simplex', (classes) => {
    const ground: Ground = { ...part, features: 4, links: 2, classes };
    expect(judge(simplex, ground, 17 * classes, 25)).toBeGreaterThanOrEqual(least);
  });

  it.each<[Norm, Partial<Ground>]>([
    ['l1', { steps: 0.6 }],
    ['l1', { policy: { maxChanges: 2 } }],
    ['l0', { steps: 0.3 }],
    ['percentile', {}],
    ['percentile', { steps: 0.3, policy: { maxChanges: 2 } }],
  ])('branch, %s, %o', (norm, more) => {
    const ground: Ground = { ...part, features: 3, links: 1, classes: 3, norm, ...more };
    expect(judge(branch, ground, 5, 10, exactOptimum)).toBeGreaterThanOrEqual(least);
  });
});

/** b stands on the open end of its condition, and c has values without end that do not help. */
it.each(['l0', 'l1', 'l2'])('leaves the open end of a condition by a step, under %s', async (norm) => {
  const model = {
    schema: 'elsewise.model/v1',
    name: 'm',
    family: 'hyperplane',
    classes: ['no', 'yes'],
    features: ['c', 'a', 'b'].map((name) => ({ name, type: 'continuous' })),
    parameters: { weights: [0.1, 1, 0], bias: -1 },
  };
  const policy = {
    schema: 'elsewise.policy/v1',
    target: 'yes',
    cost: { norm },
    features: { a: { step: 0.3 }, b: { step: 0.1, min: -2 }, c: { step: 0.001, max: 0 } },
    constraints: ['b > -2'],
  };
  const { status, counterfactuals } = (await planOf(model, policy)).explain({
    id: 'r',
    features: { a: 0, b: -2, c: 0 },
  });
  expect(status).toBe('found');
  expect(counterfactuals[0].features).toEqual({ a: 1.2, b: -1.9, c: 0 });
});
