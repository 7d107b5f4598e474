/** Proofs over boxes against trying every point that a model can tell from another. */
import { describe, expect, it } from 'vitest';
import type { FeatureDocument, PreprocessingStep } from '../../../src/documents/model-document.js';
import { nextDown, nextDownSingle, nextUp, nextUpSingle } from '../../../src/linalg/floats.js';
import { spread } from '../../../src/models/features.js';
import { type LoadedModel, loadModel } from '../../../src/models/load.js';
import type { Goal } from '../../../src/models/region.js';
import { isRefuted } from '../../../src/policy/box-verdict.js';
import { createDomain, type Domain, fillDomain } from '../../../src/policy/domain.js';
import { fixAt, isListed, listedValues } from '../../../src/policy/listed-values.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { isValue, lastWithin } from '../../../src/policy/values.js';
import { unlimited } from '../../../src/problems/budget.js';
import { compilePolicy, compileProblems } from '../../../src/problems/compile.js';
import type { Problem } from '../../../src/problems/problem.js';
import type { Box } from '../../../src/proofs/box.js';
import { boxEffort } from '../../../src/proofs/box-effort.js';
import { prepareBoxProof } from '../../../src/proofs/box-proof.js';
import { Dice } from '../../support/dice.js';
import { columnCount, generators } from '../../support/random-models.js';

const FEATURES: FeatureDocument[] = [
  { name: 'a', type: 'continuous' },
  { name: 'd', type: 'continuous', decimals: 1 },
  { name: 'n', type: 'integer' },
  { name: 'c', type: 'categorical', encoding: 'one-hot', categories: ['x', 'y', 'z'] },
  { name: 'o', type: 'categorical', encoding: 'ordinal', categories: ['low', 'mid', 'high'] },
];
const COLUMNS = columnCount(FEATURES);
const ample = () => boxEffort(50_000, unlimited());

interface Case {
  model: LoadedModel;
  problems: Problem[];
  box: Box;
  values: Float64Array;
}

/** Scaling by columns, now and then: cuts have to be found through it. */
function scaling(dice: Dice): PreprocessingStep[] {
  if (dice.chance(0.5)) return [];
  const scale = dice.vector(COLUMNS, () => dice.between(0.3, 3) * dice.pick([1, 1, -1]));
  return [{ type: 'scale', mean: dice.vector(COLUMNS), scale }];
}

type GoalOf = (dice: Dice, classes: number) => Goal;

const plainGoal: GoalOf = (dice, classes) =>
  classes
    ? { kind: 'class', index: dice.integer(0, classes - 1), margin: 0 }
    : { kind: 'interval', index: 0, from: -0.5, to: dice.pick([Infinity, 1.5]) };

/** A probability, or a lead in probability. */
const probabilityGoal: GoalOf = (dice, classes) => {
  const index = dice.integer(0, classes - 1);
  if (dice.chance(0.3)) return { kind: 'class', index, margin: dice.pick([0.1, 0.4]) };
  return {
    kind: 'interval',
    index,
    ...dice.pick([
      { from: 0.3, to: 1 },
      { from: 0, to: 0.4 },
      { from: 0.1, to: 0.8 },
    ]),
  };
};

function pose(dice: Dice, family: string, goalOf: GoalOf): Case | null {
  const draw = generators[family](dice, COLUMNS);
  const classes = draw.classes ? { classes: Array.from({ length: draw.classes }, (_, k) => `class ${k}`) } : {};
  const preprocessing = scaling(dice);
  const shared = { schema: 'elsewise.model/v1', name: 'm', family, features: FEATURES, preprocessing };
  const model = loadModel({ ...shared, ...classes, parameters: draw.parameters });
  const goal = goalOf(dice, draw.classes);
  if (draw.refuses?.(goal)) return null;
  const policy = loadPolicy({ schema: 'elsewise.policy/v1' });
  const compiled = compilePolicy(policy.document, model);
  const problems = compileProblems(model, compiled, goal);
  const values = Float64Array.of(dice.normal(), dice.integer(-20, 20) / 10, dice.integer(-2, 2), dice.integer(0, 2), 1);
  const domain = createDomain(model.space);
  fillDomain(domain, model.space, compiled.rules, values, model.preprocessing.imputed);
  return problems.length ? { model, problems, values, box: randomBox(dice, model, domain, values) } : null;
}

/** Some features vary a little around the values, one of them now and then without end. */
function randomBox(dice: Dice, { space }: LoadedModel, domain: Domain, values: Float64Array): Box {
  const varies = Uint8Array.from(space.features, () => +dice.chance(0.6));
  for (const feature of space.features) {
    const { index, column, kind } = feature;
    if (!varies[index]) fixAt(domain, feature, values[index]);
    else if (kind === 'choice') {
      domain.lower.fill(0, column, column + 3);
      for (let k = 0; k < 3; k++) domain.upper[column + k] = +(k === values[index] || dice.chance(0.4));
    } else {
      const reach = kind === 'continuous' ? dice.between(0, 0.8) : dice.integer(0, 2);
      const far = dice.chance(0.15) && kind !== 'ordinal' ? Infinity : reach;
      domain.lower[column] = lastWithin(domain, feature, values[index] - reach, -1);
      domain.upper[column] = lastWithin(domain, feature, values[index] + far, 1);
    }
  }
  const at = new Float64Array(space.columns);
  spread(space, values, at);
  return { domain, varies, at };
}

/** Values of a number that trees could tell apart, and a few besides; an open end is looked at far out. */
function numbersOf({ model, box }: Case, dice: Dice, f: number): number[] {
  const feature = model.space.features[f];
  const { column } = feature;
  const [low, high] = [box.domain.lower[column], Math.min(box.domain.upper[column], box.domain.lower[column] + 40)];
  const p = model.document.parameters as { trees?: unknown[]; tree?: unknown };
  const trees = (p.trees ?? (p.tree ? [p.tree] : [])) as { feature: number[]; threshold: number[]; left: number[] }[];
  const scale = model.preprocessing.map.diagonal![column];
  const cuts = trees
    .flatMap((tree) => tree.threshold.filter((_, n) => tree.left[n] >= 0 && tree.feature[n] === column))
    .map((t) => (t - model.preprocessing.map.offset[column]) / scale);
  const around = (t: number) => [t, nextUp(t), nextDown(t), Math.fround(t), nextUpSingle(t), nextDownSingle(t)];
  const between = Array.from({ length: 4 }, () => dice.between(low, high));
  const all = [low, high, ...between, ...cuts.flatMap(around)].filter((v) => v >= low && v <= high);
  return [...new Set(all.map((v) => lastWithin(box.domain, feature, v, 1)))].filter((v) => !Number.isNaN(v));
}

/** Whether every point that is tried belongs to the problem. */
function everyPoint(asked: Case, problem: Problem, dice: Dice): boolean {
  const { model, box, values } = asked;
  const options = model.space.features.map((feature) => {
    if (!box.varies[feature.index]) return [values[feature.index]];
    return isListed(feature) ? listedValues(box.domain, feature) : numbersOf(asked, dice, feature.index);
  });
  const columns = new Float64Array(model.space.columns);
  const visit = (f: number, point: Float64Array): boolean => {
    if (f < options.length) return options[f].every((value) => visit(f + 1, point.with(f, value)));
    spread(model.space, point, columns);
    return problem.holds(columns);
  };
  return visit(0, values);
}

/** Whether a point, by column, is a value of the box in every feature. */
function isInside({ model, box }: Case, point: Float64Array): boolean {
  return model.space.features.every((feature) => {
    const { column, width, kind, index } = feature;
    if (!box.varies[index]) return true;
    if (kind !== 'choice') return isValue(box.domain, feature, point[column]);
    const taken = point.subarray(column, column + width).indexOf(1);
    return box.domain.upper[column + taken] > 0;
  });
}

function* cases(family: string, count: number, goalOf = plainGoal) {
  for (let seed = 1; seed <= count; seed++) {
    const dice = new Dice(seed * 7919);
    const asked = pose(dice, family, goalOf);
    if (!asked) continue;
    for (const problem of asked.problems) {
      const verdict = prepareBoxProof(problem, asked.model.preprocessing.run).prove(asked.box, ample());
      yield { asked, problem, verdict, dice, seed };
    }
  }
}

const TREES = ['decision-tree', 'tree-ensemble', 'isolation-forest'];
const LINEAR = ['hyperplane', 'logistic-regression', 'softmax-regression', 'lda', 'linear-regression'];
const PROBABILITIES = ['softmax-regression', 'lda', 'qda', 'gaussian-naive-bayes'];
const CURVED = ['qda', 'gaussian-naive-bayes', 'lvq'];

describe('a box', () => {
  it.each([...TREES, ...LINEAR, ...CURVED])('of %s that is proved has no point that fails', (family) => {
    let proved = 0;
    for (const { asked, problem, verdict, dice, seed } of cases(family, 250)) {
      if (verdict !== 'proved') continue;
      proved++;
      expect(everyPoint(asked, problem, dice), `seed ${seed}`).toBe(true);
    }
    expect(proved).toBeGreaterThan(5);
  });

  it.each(PROBABILITIES)('of probabilities of %s that is proved has no point that fails', (family) => {
    const counts = { proved: 0, refuted: 0, unknown: 0 };
    for (const { asked, problem, verdict, dice, seed } of cases(family, 150, probabilityGoal)) {
      counts[isRefuted(verdict) ? 'refuted' : verdict]++;
      if (verdict === 'proved') expect(everyPoint(asked, problem, dice), `seed ${seed}`).toBe(true);
      if (isRefuted(verdict)) expect(isInside(asked, verdict.point), `seed ${seed}`).toBe(true);
    }
    expect(counts.proved).toBeGreaterThan(10);
    expect(counts.refuted).toBeGreaterThan(10);
    expect(counts.unknown).toBeLessThan(30);
  });

  it.each(TREES)('of %s is proved or refuted, and refuted by a point', (family) => {
    const counts = { proved: 0, refuted: 0, unknown: 0 };
    for (const { asked, problem, verdict, seed } of cases(family, 250)) {
      counts[isRefuted(verdict) ? 'refuted' : verdict]++;
      if (!isRefuted(verdict)) continue;
      expect(problem.holds(verdict.point), `seed ${seed}`).toBe(false);
      expect(isInside(asked, verdict.point), `seed ${seed}`).toBe(true);
    }
    expect(counts.unknown).toBe(0);
    expect(counts.refuted).toBeGreaterThan(5);
  });

  it.each([...LINEAR, ...CURVED])('of %s is hardly ever left undecided', (family) => {
    const all = [...cases(family, 250)];
    // A point outside of one piece of several may be in another.
    const isOpen = ({ asked, verdict, problem }: (typeof all)[number]) =>
      verdict === 'unknown' || (isRefuted(verdict) && asked.problems.length === 1 && problem.holds(verdict.point));
    expect(all.filter(isOpen).length).toBeLessThanOrEqual(0.05 * all.length);
    for (const { asked, verdict } of all) if (isRefuted(verdict)) expect(isInside(asked, verdict.point)).toBe(true);
  });
});
