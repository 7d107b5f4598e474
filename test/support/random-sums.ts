/** Small problems of one sum over features, with every kind of feature and a person without the target. */
import type { FeatureDocument } from '../../src/documents/model-document.js';
import { loadPolicy } from '../../src/index.js';
import { loadModel } from '../../src/models/load.js';
import type { Goal } from '../../src/models/region.js';
import { createDomain, fillDomain } from '../../src/policy/domain.js';
import { compilePolicy, compileProblems } from '../../src/problems/compile.js';
import type { AskedProblem } from './asked-problem.js';
import type { Dice } from './dice.js';
import { randomAdditive } from './random-additive.js';

export type SumKind = 'row' | 'whole row' | 'gaussian' | 'steps' | 'row between ends' | 'steps between ends';
export const SUM_KINDS: readonly SumKind[] = ['row', 'whole row', 'gaussian', 'steps'];
export const SLAB_KINDS: readonly SumKind[] = ['row between ends', 'steps between ends'];

const CATEGORIES = ['x', 'y', 'z'];

export const DISCRETE: FeatureDocument[] = [
  { name: 'n', type: 'integer', min: -3, max: 3 },
  { name: 's', type: 'continuous', min: -1, max: 2 },
  { name: 'd', type: 'continuous', min: -0.5, max: 0.5, decimals: 1 },
  { name: 'b', type: 'boolean' },
  { name: 'c', type: 'categorical', encoding: 'one-hot', categories: CATEGORIES },
  { name: 'o', type: 'categorical', encoding: 'ordinal', categories: ['p', 'q', 'r', 's'] },
];

const isSteps = (kind: SumKind): boolean => kind === 'steps' || kind === 'steps between ends';
const isSlab = (kind: SumKind): boolean => SLAB_KINDS.includes(kind);

const COLUMNS = (features: readonly FeatureDocument[]) =>
  features.flatMap((feature) => (feature.type === 'categorical' && feature.encoding === 'one-hot' ? CATEGORIES : ['']));

function parametersOf(dice: Dice, kind: SumKind, features: readonly FeatureDocument[]) {
  const columns = COLUMNS(features);
  if (kind === 'gaussian') {
    const numbers = (draw: () => number) => columns.map(draw);
    return {
      family: 'gaussian-naive-bayes',
      parameters: {
        means: [0, 1].map(() => numbers(() => dice.normal())),
        variances: [0, 1].map(() => numbers(() => dice.between(0.3, 2))),
        priors: [0.5, 0.5],
      },
    };
  }
  if (kind === 'row between ends')
    return { family: 'linear-regression', parameters: { weights: columns.map(() => dice.normal()), bias: 0 } };
  if (!isSteps(kind)) {
    const draw = kind === 'row' ? () => dice.normal() : () => dice.integer(-3, 3);
    return { family: 'hyperplane', parameters: { weights: columns.map(draw), bias: draw() } };
  }
  for (;;) {
    const { parameters, classes } = randomAdditive(dice, 0, features);
    const terms = parameters.terms as { features?: unknown }[];
    if (classes === (kind === 'steps' ? 2 : 0) && terms.every((term) => !term.features))
      return { family: 'additive', parameters };
  }
}

function drawValue(dice: Dice, feature: FeatureDocument): number {
  if (feature.type === 'categorical') return dice.integer(0, feature.categories.length - 1);
  if (feature.type === 'boolean') return dice.integer(0, 1);
  if (feature.type === 'integer') return dice.integer(-3, 3);
  const value =
    feature.name === 'd' ? dice.integer(-5, 5) / 10 : dice.pick([dice.integer(-2, 4) / 2, dice.between(-1, 2)]);
  return dice.chance(0.1) && feature.name === 'd' ? 0.123 : value;
}

function rawOf(feature: FeatureDocument, value: number): unknown {
  if (feature.type === 'categorical') return feature.categories[value];
  return feature.type === 'boolean' ? value === 1 : value;
}

function rulesOf(dice: Dice, features: readonly FeatureDocument[]) {
  const rule = (feature: FeatureDocument) => {
    if (feature.type === 'categorical') return dice.chance(0.4) ? { allow: feature.categories.slice(0, 2) } : {};
    const change = dice.chance(0.3) ? { change: dice.pick(['increase', 'decrease', 'never']) } : {};
    return { ...change, ...(feature.name === 's' && { step: dice.pick([0.5, 0.3]) }) };
  };
  return Object.fromEntries(features.map((feature) => [feature.name, rule(feature)]));
}

function goalOf(dice: Dice, kind: SumKind): Goal {
  if (!isSlab(kind)) return { kind: 'class', index: dice.integer(0, 1), margin: 0 };
  const from = 2 * dice.normal();
  return { kind: 'interval', index: 0, from, to: from + dice.pick([0.05, 0.4, 2]) };
}

/** Null: the draw has no person without the target. */
export function drawSum(
  dice: Dice,
  kind: SumKind,
  norm: string,
  { features = dice.shuffle(DISCRETE).slice(0, 4), narrow = false } = {},
): AskedProblem | null {
  const model = loadModel({
    schema: 'elsewise.model/v1',
    name: 'sum',
    features,
    ...(!isSlab(kind) && { classes: ['no', 'yes'] }),
    ...parametersOf(dice, kind, features),
    background: { samples: Array.from({ length: 9 }, () => features.map((one) => rawOf(one, drawValue(dice, one)))) },
  });
  const price = () => (kind === 'whole row' ? dice.integer(1, 3) : dice.between(0.3, 3));
  const policy = loadPolicy({
    schema: 'elsewise.policy/v1',
    cost: { norm, weights: Object.fromEntries(features.map(({ name }) => [name, price()])) },
    features: rulesOf(dice, features),
    ...(dice.chance(0.5) && { maxChanges: dice.integer(1, 2) }),
  });
  const compiled = compilePolicy(policy.document, model);
  const domain = createDomain(model.space);
  for (let tries = 0; tries < 8; tries++) {
    const values = Float64Array.from(features, (feature) => drawValue(dice, feature));
    fillDomain(domain, model.space, compiled.rules, values, model.preprocessing.imputed);
    const [problem] = compileProblems(model, compiled, goalOf(dice, kind));
    if (!problem || problem.holds(domain.origin)) continue;
    if (narrow) mustChange(dice, domain);
    return { model, problem, domain, values };
  }
  return null;
}

/** As a search for different answers does it: some feature has to change. */
function mustChange(dice: Dice, domain: AskedProblem['domain']): void {
  const feature = dice.pick([...domain.space.features]);
  const { column, width, kind } = feature;
  if (kind === 'choice')
    for (let c = column; c < column + width; c++) domain.upper[c] = Math.min(domain.upper[c], 1 - domain.origin[c]);
  else if (
    domain.step[feature.index] === 1 &&
    domain.origin[column] + 1 <= domain.upper[column] &&
    !domain.ranks[feature.index]
  )
    domain.lower[column] = domain.origin[column] + 1;
}
