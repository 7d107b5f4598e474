/** Plausibility inside the search: no answer is cheaper than the proved one, by enumeration of everything that may be. */
import { describe, expect, it } from 'vitest';
import type { FeatureDocument } from '../../../src/documents/model-document.js';
import { buildLadder } from '../../../src/explain/ladder.js';
import { nextUp } from '../../../src/linalg/floats.js';
import { spread } from '../../../src/models/features.js';
import { type LoadedModel, loadModel } from '../../../src/models/load.js';
import { evaluateCost } from '../../../src/policy/cost.js';
import { createDomain, fillDomain } from '../../../src/policy/domain.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { Budget } from '../../../src/problems/budget.js';
import { compilePolicy, compileProblems } from '../../../src/problems/compile.js';
import type { Problem } from '../../../src/problems/problem.js';
import { solvers } from '../../../src/solvers/index.js';
import { branchPlausible } from '../../../src/solvers/reductions/branch-plausible.js';
import { conditionOf } from '../../../src/solvers/reductions/plausible-condition.js';
import { forestExact } from '../../../src/solvers/trees/exact/forest-exact.js';
import { Dice } from '../../support/dice.js';
import { patient, within } from '../../support/quadratic-problems.js';
import { columnCount, generators } from '../../support/random-models.js';

const LATTICE: FeatureDocument[] = [
  { name: 'n', type: 'integer', min: -4, max: 4 },
  { name: 'm', type: 'integer', min: -4, max: 4 },
  { name: 'c', type: 'categorical', encoding: 'one-hot', categories: ['x', 'y', 'z'] },
  { name: 'o', type: 'categorical', encoding: 'ordinal', categories: ['low', 'mid', 'high', 'top'] },
];
const MIXED: FeatureDocument[] = [{ name: 'a', type: 'continuous' }, ...LATTICE.slice(1)];

const randomRow = (dice: Dice, features: readonly FeatureDocument[]) =>
  features.map((feature) => {
    if (feature.type === 'categorical') return dice.pick(feature.categories);
    const value = Math.max(-4, Math.min(4, 1.5 * dice.normal()));
    return feature.type === 'integer' ? Math.round(value) : value;
  });

interface Recipe {
  readonly features: FeatureDocument[];
  readonly family: string;
  readonly policy: Record<string, unknown>;
  readonly preprocessing?: (columns: number) => unknown[];
}

function pose(dice: Dice, { features, family, policy, preprocessing }: Recipe) {
  const columns = columnCount(features);
  const draw = generators[family](dice, columns);
  const model = loadModel({
    schema: 'elsewise.model/v1',
    name: 'm',
    family,
    features,
    ...(draw.classes ? { classes: Array.from({ length: draw.classes }, (_, k) => `class ${k}`) } : {}),
    parameters: draw.parameters,
    preprocessing: preprocessing?.(columns) ?? [],
    background: { samples: Array.from({ length: 40 }, () => randomRow(dice, features)) },
  });
  const row = Float64Array.from(randomRow(dice, features), (value, f) => {
    const feature = features[f];
    return feature.type === 'categorical' ? feature.categories.indexOf(String(value)) : Number(value);
  });
  const plausibility = { method: 'isolation-forest', atLeast: dice.pick([0, 0.2, 0.6]), trees: 6, sampleSize: 24 };
  const document = loadPolicy({ schema: 'elsewise.policy/v1', plausibility, ...policy }).document;
  const compiled = compilePolicy(document, model);
  const domain = createDomain(model.space);
  fillDomain(domain, model.space, compiled.rules, row, model.preprocessing.imputed);
  const goal = draw.classes
    ? ({ kind: 'class', index: dice.integer(0, draw.classes - 1), margin: 0 } as const)
    : ({ kind: 'interval', index: 0, from: dice.normal() + 1, to: Infinity } as const);
  return { model, row, domain, compiled, problems: compileProblems(model, compiled, goal) };
}

/** The cheapest combination of given values that holds. */
function bruteForce(problem: Problem, row: Float64Array, options: readonly (readonly number[])[]): number {
  const columns = new Float64Array(problem.space.columns);
  let best = Infinity;
  const visit = (f: number, values: Float64Array): void => {
    if (f < options.length) {
      for (const value of options[f]) visit(f + 1, values.with(f, value));
      return;
    }
    if (values.filter((value, k) => value !== row[k]).length > problem.maxChanges) return;
    const cost = evaluateCost(problem.cost, problem.space, row, values);
    if (cost >= best) return;
    spread(problem.space, values, columns);
    if (problem.holds(columns)) best = cost;
  };
  visit(0, row);
  return best;
}

const latticeValues = (model: LoadedModel) =>
  model.space.features.map(({ min, max }) =>
    Number.isFinite(max - min) ? Array.from({ length: max - min + 1 }, (_, k) => min + k) : [],
  );

const SMALL = [LATTICE[0], LATTICE[2]];
const LINEAR = ['hyperplane', 'softmax-regression', 'linear-regression'];
const CASES = [
  ...LINEAR.flatMap((family) => ['l0', 'l1', 'l2'].map((norm) => ({ family, norm, features: LATTICE, cases: 40 }))),
  ...['l1', 'l2'].map((norm) => ({ family: 'gaussian-naive-bayes', norm, features: SMALL, cases: 15 })),
];

describe('branch-plausible', () => {
  it.each(CASES)(
    'is exact around $family under $norm, by enumeration of the lattice',
    ({ family, norm, features, cases }) => {
      const dice = new Dice(family.length + norm.charCodeAt(1));
      const seen = { solved: 0, infeasible: 0, binding: 0 };
      for (let k = 0; k < cases; k++) {
        const policy = { cost: { norm }, maxChanges: dice.pick([1, 2, 4]) };
        const { model, row, domain, problems } = pose(dice, { features, family, policy });
        for (const problem of problems) {
          // A row that has the target is never asked about.
          if (problem.reaches(domain.origin)) continue;
          expect(branchPlausible.accepts(problem, solvers)).toBe('exact');
          const expected = bruteForce(problem, row, latticeValues(model));
          const without = bruteForce({ ...problem, holds: problem.reaches }, row, latticeValues(model));
          const outcome = branchPlausible.prepare(problem, solvers).solve(domain, within(10_000));
          expect(outcome.status).toBe(expected === Infinity ? 'infeasible' : 'solved');
          seen.binding += +(without < expected);
          seen.infeasible += +(expected === Infinity);
          if (!outcome.x) continue;
          seen.solved++;
          expect(problem.holds(outcome.x)).toBe(true);
          expect(outcome.lowerBound).toBeLessThanOrEqual(expected * (1 + 1e-6) + 1e-9);
          expect(outcome.lowerBound).toBeGreaterThanOrEqual(expected * (1 - 1e-5) - 1e-9);
        }
      }
      expect(seen.solved + seen.infeasible).toBeGreaterThan(5);
      expect(seen.binding).toBeGreaterThan(1);
    },
  );
});

describe('branch-plausible with a continuous feature', () => {
  it.each(['l1', 'l2'])('is exact under %s, by the best point of every cell', (norm) => {
    const dice = new Dice(7);
    let solvedOnes = 0;
    for (let k = 0; k < 30; k++) {
      const { model, row, domain, problems } = pose(dice, {
        features: MIXED,
        family: 'hyperplane',
        policy: { cost: { norm } },
      });
      const [problem] = problems;
      const { forest } = conditionOf(problem)!;
      // With all else fixed, the optimum in `a` stands still, touches the region or lies next to a threshold.
      const cuts = [...forest.threshold].filter((_, n) => forest.left[n] >= 0 && forest.feature[n] === 0);
      const region = problem.piece.rows[0];
      const others = latticeValues(model).slice(1);
      let expected = Infinity;
      const visit = (f: number, values: Float64Array): void => {
        if (f <= others.length) {
          for (const value of others[f - 1]) visit(f + 1, values.with(f, value));
          return;
        }
        const columns = new Float64Array(problem.space.columns);
        spread(problem.space, values.with(0, 0), columns);
        const activity = region.a.reduce((sum, a, c) => sum + a * columns[c], 0);
        const touching = [region.lower, region.upper].map((end) => (end - activity) / region.a[0]);
        const nudged = touching.flatMap((t) => [
          t,
          t + 1e-9 * Math.max(1, Math.abs(t)),
          t - 1e-9 * Math.max(1, Math.abs(t)),
        ]);
        const options = [row[0], ...nudged, ...cuts.flatMap((t) => [t, nextUp(t)])].filter(Number.isFinite);
        expected = Math.min(expected, bruteForce(problem, row, [options, ...[...values.slice(1)].map((v) => [v])]));
      };
      visit(1, row);
      const outcome = branchPlausible.prepare(problem, solvers).solve(domain, within(5000));
      expect(outcome.status).toBe(expected === Infinity ? 'infeasible' : 'solved');
      if (!outcome.x) continue;
      solvedOnes++;
      expect(problem.holds(outcome.x)).toBe(true);
      expect(outcome.lowerBound).toBeLessThanOrEqual(expected * (1 + 1e-6) + 1e-7);
      expect(outcome.lowerBound).toBeGreaterThanOrEqual(expected * (1 - 1e-5) - 1e-7);
    }
    expect(solvedOnes).toBeGreaterThan(10);
  });
});

describe.each(['decision-tree', 'tree-ensemble', 'isolation-forest'])(
  'forest-exact on %s and plausibility',
  (family) => {
    const scalings = {
      'as they are': undefined,
      'behind a scaling': (columns: number) => [
        {
          type: 'scale',
          mean: Array(columns).fill(0.3),
          scale: Array.from({ length: columns }, (_, c) => [2, -0.7][c % 2]),
        },
      ],
    };
    it.each(Object.entries(scalings))('is exact on columns %s, by enumeration of the lattice', (_, preprocessing) => {
      const dice = new Dice(family.length);
      let solvedOnes = 0;
      for (let k = 0; k < 30; k++) {
        const policy = { cost: { norm: dice.pick(['l0', 'l1', 'l2']) }, maxChanges: dice.pick([1, 2, 4]) };
        const { model, row, domain, problems } = pose(dice, { features: LATTICE, family, policy, preprocessing });
        for (const problem of problems) {
          expect(problem.piece.atoms.length).toBe(1);
          const expected = bruteForce(problem, row, latticeValues(model));
          const outcome = forestExact.prepare(problem, solvers).solve(domain, within(5000));
          expect(outcome.status).toBe(expected === Infinity ? 'infeasible' : 'solved');
          if (!outcome.x) continue;
          solvedOnes++;
          expect(problem.holds(outcome.x)).toBe(true);
          expect(outcome.lowerBound).toBeLessThanOrEqual(expected * (1 + 1e-6) + 1e-9);
          expect(outcome.lowerBound).toBeGreaterThanOrEqual(expected * (1 - 1e-5) - 1e-9);
        }
      }
      expect(solvedOnes).toBeGreaterThan(8);
    });
  },
);

describe('the condition beside the region', () => {
  it('is left to the methods that know of it', () => {
    const { problems } = pose(new Dice(3), { features: MIXED, family: 'hyperplane', policy: {} });
    const taking = buildLadder(problems[0], ['auto']).map(({ solver }) => solver.name);
    expect(taking).toEqual(['branch-plausible', 'spheres', 'nearest']);
  });

  it('ends in time with the best so far and a bound below it', () => {
    const dice = new Dice(11);
    for (let k = 0; k < 10; k++) {
      const { domain, problems } = pose(dice, {
        features: MIXED,
        family: 'hyperplane',
        policy: { cost: { norm: 'l1' } },
      });
      const exact = branchPlausible.prepare(problems[0], solvers).solve(domain, within(5000));
      let ticks = 0;
      const limits = { ...patient, budget: new Budget(Infinity, { now: () => ticks++ }, 6) };
      const early = branchPlausible.prepare(problems[0], solvers).solve(domain, limits);
      expect(early.lowerBound).toBeLessThanOrEqual(exact.lowerBound * (1 + 1e-6) + 1e-9);
      if (early.x) expect(problems[0].holds(early.x)).toBe(true);
    }
  });
});
