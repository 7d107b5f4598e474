import { describe, expect, it } from 'vitest';
import type { FeatureDocument } from '../../../src/documents/model-document.js';
import { nextDown, nextDownSingle, nextUp, nextUpSingle } from '../../../src/linalg/floats.js';
import { type LoadedModel, loadModel } from '../../../src/models/load.js';
import { evaluateCost } from '../../../src/policy/cost.js';
import { createDomain, fillDomain } from '../../../src/policy/domain.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { compilePolicy, compileProblems } from '../../../src/problems/compile.js';
import type { Problem } from '../../../src/problems/problem.js';
import { solvers } from '../../../src/solvers/index.js';
import { forestExact } from '../../../src/solvers/trees/exact/forest-exact.js';
import { Dice } from '../../support/dice.js';
import { within } from '../../support/quadratic-problems.js';
import { columnCount, generators } from '../../support/random-models.js';

const FEATURES: FeatureDocument[] = [
  { name: 'a', type: 'continuous' },
  { name: 'n', type: 'integer', min: -4, max: 4 },
  { name: 'c', type: 'categorical', categories: ['x', 'y', 'z'] },
  { name: 'o', type: 'categorical', encoding: 'ordinal', categories: ['low', 'mid', 'high'] },
];

/** Every value of a feature that any tree could tell from another, by the neighbours of all thresholds. */
function candidates(model: LoadedModel, feature: number, here: number): number[] {
  const { kind, column } = model.space.features[feature];
  if (kind === 'choice' || kind === 'ordinal') return model.space.features[feature].categories.map((_, k) => k);
  if (kind === 'integer') return Array.from({ length: 9 }, (_, k) => k - 4);
  const p = model.document.parameters as { trees?: unknown[]; tree?: unknown };
  const trees = (p.trees ?? [p.tree]) as { feature: number[]; threshold: number[]; left: number[] }[];
  const cuts = trees.flatMap((tree) =>
    tree.threshold.filter((_, n) => tree.left[n] >= 0 && tree.feature[n] === column),
  );
  const around = (t: number) => [t, nextUp(t), nextDown(t), Math.fround(t), nextUpSingle(t), nextDownSingle(t)];
  return [here, ...new Set(cuts.flatMap(around))];
}

function bruteForce(model: LoadedModel, problem: Problem, row: Float64Array, maxChanges: number): number {
  const options = model.space.features.map((_, f) => candidates(model, f, row[f]));
  const columns = new Float64Array(model.space.columns);
  let best = Infinity;
  const visit = (f: number, values: Float64Array): void => {
    if (f === options.length) {
      if (values.filter((value, k) => value !== row[k]).length > maxChanges) return;
      const cost = evaluateCost(problem.cost, problem.space, row, values);
      if (cost >= best) return;
      for (const { kind, column, width, index } of model.space.features) {
        if (kind !== 'choice') columns[column] = values[index];
        else for (let k = 0; k < width; k++) columns[column + k] = +(k === values[index]);
      }
      if (problem.holds(columns)) best = cost;
      return;
    }
    for (const value of options[f]) visit(f + 1, values.with(f, value));
  };
  visit(0, row);
  return best;
}

function pose(dice: Dice, family: string, policy: Record<string, unknown>) {
  const draw = generators[family](dice, columnCount(FEATURES));
  const classes = draw.classes ? { classes: Array.from({ length: draw.classes }, (_, k) => `class ${k}`) } : {};
  const model = loadModel({
    schema: 'elsewise.model/v1',
    name: 'm',
    family,
    features: FEATURES,
    ...classes,
    parameters: draw.parameters,
  });
  const row = Float64Array.of(
    dice.pick([dice.normal(), 0.5, 1]),
    dice.integer(-4, 4),
    dice.integer(0, 2),
    dice.integer(0, 2),
  );
  const compiled = compilePolicy(loadPolicy({ schema: 'elsewise.policy/v1', ...policy }).document, model);
  const domain = createDomain(model.space);
  fillDomain(domain, model.space, compiled.rules, row, model.preprocessing.imputed);
  const goal = draw.classes
    ? ({ kind: 'class', index: dice.integer(0, draw.classes - 1), margin: 0 } as const)
    : ({ kind: 'interval', index: 0, from: dice.normal() + 1, to: Infinity } as const);
  return { model, row, domain, problems: compileProblems(model, compiled, goal) };
}

describe.each(['decision-tree', 'tree-ensemble', 'isolation-forest'])('%s', (family) => {
  it.each(['l0', 'l1', 'l2'])(
    'has no answer cheaper than the proved one under %s, by enumeration of all cells',
    (norm) => {
      const dice = new Dice(norm.charCodeAt(1));
      let found = 0;
      for (let k = 0; k < 40; k++) {
        const maxChanges = dice.pick([1, 2, 4]);
        const { model, row, domain, problems } = pose(dice, family, { cost: { norm }, maxChanges });
        for (const problem of problems) {
          expect(forestExact.accepts(problem, solvers)).toBe('exact');
          const expected = bruteForce(model, problem, row, maxChanges);
          const outcome = forestExact.prepare(problem, solvers).solve(domain, within(5000));
          expect(outcome.status).toBe(expected === Infinity ? 'infeasible' : 'solved');
          if (!outcome.x) continue;
          found++;
          expect(problem.holds(outcome.x)).toBe(true);
          // Answers are numbers of the precision that the trees compare in: a few roundings may be between them.
          expect(outcome.lowerBound).toBeLessThanOrEqual(expected * (1 + 1e-6) + 1e-12);
          expect(outcome.lowerBound).toBeGreaterThanOrEqual(expected * (1 - 1e-5) - 1e-6);
        }
      }
      expect(found).toBeGreaterThan(10);
    },
  );
});

describe('neighbours of numbers', () => {
  it('lie next to them, in both precisions', () => {
    for (const x of [0, 1, -1, 0.1, 1e30, -3.5e-20, 16777216]) {
      expect(nextUp(x)).toBeGreaterThan(x);
      expect((x + nextUp(x)) / 2 === x || (x + nextUp(x)) / 2 === nextUp(x)).toBe(true);
      expect(nextDown(nextUp(x))).toBe(x);
      const single = Math.fround(x);
      expect(Math.fround(nextUpSingle(single))).toBe(nextUpSingle(single));
      expect(nextDownSingle(nextUpSingle(single))).toBe(single);
    }
  });
});
