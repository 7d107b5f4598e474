/** Random model documents: features of all kinds, chains of preprocessing, and parameters for every family. */
import type { FeatureDocument, PreprocessingStep } from '../../src/documents/model-document.js';
import type { Goal } from '../../src/models/region.js';
import type { Dice } from './dice.js';
import { randomAdditive } from './random-additive.js';
import type { Value } from './second-opinion.js';

export interface FamilyDraw {
  parameters: Record<string, unknown>;
  /** 0 for a regressor. */
  classes: number;
  /** Goals that the family says it has no exact region for. */
  refuses?(goal: Goal): boolean;
}

type Generator = (dice: Dice, inputs: number, features?: readonly FeatureDocument[]) => FamilyDraw;

const weightsOf = (dice: Dice, inputs: number) => dice.vector(inputs, () => dice.normal() / Math.sqrt(inputs));
const linear: Generator = (dice, inputs) => ({
  parameters: { weights: weightsOf(dice, inputs), bias: dice.normal() },
  classes: 2,
});
const regression: Generator = (dice, inputs) => ({ ...linear(dice, inputs), classes: 0 });

const scores = (dice: Dice, inputs: number, classes: number) => ({
  weights: Array.from({ length: classes }, () => weightsOf(dice, inputs)),
  bias: dice.vector(classes),
});

/** Probabilities have no convex region below a value; one-vs-rest has none for any probability. */
const refusals: Record<string, (goal: Goal) => boolean> = {
  softmax: () => false,
  sigmoid: (goal) => goal.kind === 'interval' || goal.margin > 0,
  none: () => false,
};

function gaussians(dice: Dice, inputs: number): FamilyDraw {
  const classes = dice.integer(2, 4);
  const root = dice.matrix(inputs, inputs);
  const covariance = root.map((a, i) =>
    root.map((b, j) => a.reduce((sum, value, k) => sum + value * b[k], 0) / inputs + (i === j ? 1 : 0)),
  );
  const shares = dice.vector(classes, () => dice.between(0.2, 1));
  const total = shares.reduce((sum, share) => sum + share, 0);
  const parameters = { means: dice.matrix(classes, inputs), covariance, priors: shares.map((share) => share / total) };
  return { parameters, classes };
}

const positive = (dice: Dice, size: number, ridge: number): number[][] => {
  const root = dice.matrix(size, size);
  return root.map((a, i) =>
    root.map((b, j) => a.reduce((sum, value, k) => sum + value * b[k], 0) / size + (i === j ? ridge : 0)),
  );
};

const priors = (dice: Dice, classes: number): number[] => {
  const shares = dice.vector(classes, () => dice.between(0.2, 1));
  const total = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => share / total);
};

/** A random tree of some depth over the inputs, with leaves of so many outputs. */
function randomTree(dice: Dice, inputs: number, depth: number, outputs: () => number[]) {
  const tree = {
    feature: [] as number[],
    threshold: [] as number[],
    left: [] as number[],
    right: [] as number[],
    value: [] as number[][],
  };
  const grow = (level: number): number => {
    const node = tree.feature.length;
    const leaf = level === depth || dice.chance(0.15);
    tree.feature.push(leaf ? 0 : dice.integer(0, inputs - 1));
    tree.threshold.push(leaf ? 0 : dice.pick([dice.normal(), 0.5, dice.integer(-2, 2)]));
    tree.value.push(outputs());
    tree.left.push(-1);
    tree.right.push(-1);
    if (leaf) return node;
    tree.left[node] = grow(level + 1);
    tree.right[node] = grow(level + 1);
    return node;
  };
  grow(0);
  return {
    ...tree,
    comparison: dice.pick(['<=', '<']),
    precision: dice.pick(['float32', 'float64']),
    missing: dice.pick(['left', 'right']),
  };
}

const shares = (dice: Dice, classes: number) => () => {
  const draw = dice.vector(classes, () => dice.between(0, 1));
  const total = draw.reduce((sum, value) => sum + value, 0);
  return draw.map((value) => value / total);
};

function randomEnsemble(dice: Dice, inputs: number): FamilyDraw {
  const count = dice.integer(1, 6);
  const trees = (outputs: () => number[]) => Array.from({ length: count }, () => randomTree(dice, inputs, 3, outputs));
  const kind = dice.pick(['forest', 'votes', 'boosting', 'multi', 'regression'] as const);
  const classes = dice.integer(2, 4);
  if (kind === 'forest' || kind === 'votes') {
    return {
      parameters: { trees: trees(shares(dice, classes)), aggregation: kind === 'votes' ? 'vote' : 'mean' },
      classes,
    };
  }
  const one = () => [dice.normal()];
  if (kind === 'boosting') {
    const accumulate = dice.pick(['float32', 'float64']);
    return {
      parameters: { trees: trees(one), aggregation: 'sum', base: dice.normal(), link: 'logit', accumulate },
      classes: 2,
    };
  }
  if (kind === 'regression')
    return {
      parameters: { trees: trees(one), aggregation: 'sum', base: 0.5, link: dice.pick(['identity', 'exp']) },
      classes: 0,
    };
  const parameters = {
    trees: trees(one),
    aggregation: 'sum',
    base: dice.vector(classes),
    link: 'softmax',
    treeClass: Array.from({ length: count }, (_, t) => t % classes),
  };
  return { parameters, classes };
}

function neighbours(dice: Dice, inputs: number): FamilyDraw {
  const classes = dice.pick([0, 2, 3]);
  const count = dice.integer(6, 14);
  const samples = dice.matrix(count, inputs, () => 2 * dice.normal());
  const labels = samples.map((_, i) => (classes ? `class ${i % classes}` : dice.normal()));
  const parameters = {
    samples,
    labels,
    k: dice.integer(1, 5),
    metric: dice.pick(['euclidean', 'manhattan']),
    weights: dice.pick(['uniform', 'distance']),
  };
  return { parameters, classes };
}

function kernelMachine(dice: Dice, inputs: number): FamilyDraw {
  const classes = dice.pick([0, 2, 3, 4]);
  const counts = Array.from({ length: Math.max(1, classes) }, () => dice.integer(1, 3));
  const supportVectors = dice.matrix(
    counts.reduce((sum, count) => sum + count, 0),
    inputs,
  );
  const kernel = dice.pick([
    { type: 'linear' },
    { type: 'linear' },
    { type: 'rbf', gamma: dice.between(0.05, 0.5) },
    { type: 'poly', gamma: 0.5, coef0: 1, degree: dice.integer(1, 3) },
    { type: 'sigmoid', gamma: 0.3, coef0: -0.2 },
  ]);
  const one = { dualCoefficients: dice.vector(supportVectors.length), intercept: 0.5 * dice.normal() };
  const several = {
    dualCoefficients: dice.matrix(classes - 1, supportVectors.length),
    intercept: dice.vector((classes * (classes - 1)) / 2),
    supportCounts: counts,
  };
  return { parameters: { supportVectors, kernel, ...(classes > 2 ? several : one) }, classes };
}

/** One or two hidden layers, of relu in most draws. */
function randomNetwork(dice: Dice, inputs: number): FamilyDraw {
  const classes = dice.pick([0, 2, 2, 3]);
  const outputs = classes > 2 ? classes : 1;
  const hidden = dice.pick(['relu', 'relu', 'relu', 'identity', 'tanh', 'logistic']);
  const widths = [inputs, ...Array.from({ length: dice.integer(1, 2) }, () => dice.integer(2, 6)), outputs];
  const last = { 0: 'identity', 2: 'logistic', 3: 'softmax' }[classes];
  const layers = widths.slice(1).map((units, l) => ({
    weights: dice.matrix(units, widths[l]),
    bias: dice.vector(units),
    activation: l === widths.length - 2 ? last : hidden,
  }));
  return { parameters: { layers }, classes };
}

/** A family is tested the moment it has a row here; one without a row fails the conformance test. */
export const generators: Record<string, Generator> = {
  hyperplane: linear,
  'logistic-regression': (dice, inputs) => {
    const draw = linear(dice, inputs);
    const threshold = dice.chance(0.5) ? {} : { threshold: dice.between(0.1, 0.9) };
    return { ...draw, parameters: { ...draw.parameters, ...threshold } };
  },
  'softmax-regression': (dice, inputs) => {
    const classes = dice.integer(2, 5);
    const normalization = dice.pick(['softmax', 'softmax', 'sigmoid', 'none']);
    return {
      parameters: { ...scores(dice, inputs, classes), normalization },
      classes,
      refuses: refusals[normalization],
    };
  },
  lda: (dice, inputs) => {
    if (dice.chance(0.7)) return gaussians(dice, inputs);
    const classes = dice.integer(2, 4);
    return { parameters: scores(dice, inputs, classes), classes };
  },
  'linear-regression': regression,
  'poisson-regression': regression,
  'exponential-regression': regression,
  'gaussian-naive-bayes': (dice, inputs) => {
    const classes = dice.integer(2, 4);
    const variances = dice.matrix(classes, inputs, () => dice.between(0.2, 3));
    const parameters = { means: dice.matrix(classes, inputs), variances, priors: priors(dice, classes) };
    return { parameters, classes };
  },
  qda: (dice, inputs) => {
    const classes = dice.integer(2, 4);
    const covariances = Array.from({ length: classes }, () => positive(dice, inputs, 0.3));
    const parameters = { means: dice.matrix(classes, inputs), covariances, priors: priors(dice, classes) };
    return { parameters, classes };
  },
  'decision-tree': (dice, inputs) => {
    const classes = dice.pick([0, 2, 3]);
    const tree = randomTree(dice, inputs, 4, classes ? shares(dice, classes) : () => [dice.normal()]);
    return { parameters: { tree, task: classes ? 'classification' : 'regression' }, classes };
  },
  'tree-ensemble': randomEnsemble,
  'isolation-forest': (dice, inputs) => {
    const trees = Array.from({ length: 5 }, () => randomTree(dice, inputs, 4, () => [dice.between(0.3, 1.8)]));
    return { parameters: { trees, offset: dice.between(-0.6, -0.4) }, classes: 2 };
  },
  additive: randomAdditive,
  knn: neighbours,
  'kernel-svm': kernelMachine,
  mlp: randomNetwork,
  lvq: (dice, inputs) => {
    const classes = dice.integer(2, 3);
    const prototypes = dice.matrix(classes * dice.integer(1, 2), inputs);
    const labels = prototypes.map((_, p) => `class ${p % classes}`);
    const matrices = (count: number) => ({
      relevances: Array.from({ length: count }, () => positive(dice, inputs, 0)),
    });
    const relevance = dice.pick([
      {},
      { relevance: positive(dice, inputs, 0) },
      matrices(classes),
      matrices(prototypes.length),
    ]);
    return { parameters: { prototypes, labels, ...relevance }, classes, refuses: (goal) => goal.kind === 'interval' };
  },
};

const LABELS = ['a', 'b', 'c', 'd'];

export function randomFeatures(dice: Dice): FeatureDocument[] {
  return Array.from({ length: dice.integer(2, 5) }, (_, i): FeatureDocument => {
    const name = `f${i}`;
    const type = dice.pick(['continuous', 'continuous', 'integer', 'boolean', 'one-hot', 'ordinal'] as const);
    if (type !== 'one-hot' && type !== 'ordinal') return { name, type };
    return { name, type: 'categorical', encoding: type, categories: LABELS.slice(0, dice.integer(2, 4)) };
  });
}

export const columnCount = (features: readonly FeatureDocument[]): number =>
  features.reduce(
    (sum, f) => sum + (f.type === 'categorical' && f.encoding === 'one-hot' ? f.categories.length : 1),
    0,
  );

export function randomValue(dice: Dice, feature: FeatureDocument): Value {
  if (feature.type === 'categorical') return dice.pick(feature.categories);
  if (feature.type === 'boolean') return dice.chance(0.5);
  return feature.type === 'integer' ? dice.integer(-3, 3) : 2 * dice.normal();
}

interface Chain {
  steps: PreprocessingStep[];
  inputs: number;
}

/** Up to three steps; an imputer before any projection, and a projection to at most as many columns. */
export function randomPreprocessing(dice: Dice, columns: number): Chain {
  const steps: PreprocessingStep[] = [];
  let inputs = columns;
  let projected = false;
  for (let k = dice.integer(0, 3); k > 0; k--) {
    const type = dice.pick(['scale', 'affine', 'impute'] as const);
    if (type === 'scale')
      steps.push({
        type,
        mean: dice.vector(inputs),
        scale: dice.vector(inputs, () => dice.between(0.3, 3) * dice.pick([1, 1, -1])),
      });
    else if (type === 'impute' && !projected) steps.push({ type, values: dice.vector(inputs) });
    else {
      const matrix = dice.matrix(dice.integer(1, inputs), inputs, () => dice.normal() / Math.sqrt(inputs));
      steps.push({ type: 'affine', matrix, offset: dice.vector(matrix.length) });
      [inputs, projected] = [matrix.length, true];
    }
  }
  return { steps, inputs };
}

/** The parameters of these families name features and give numbers in units of the row. */
const readsRows = (family: string): boolean => family === 'additive';

const imputing = (dice: Dice, columns: number): Chain => ({
  steps: dice.chance(0.3) ? [{ type: 'impute', values: dice.vector(columns) }] : [],
  inputs: columns,
});

export interface RandomModel extends FamilyDraw {
  document: Record<string, unknown> & { features: FeatureDocument[]; preprocessing: PreprocessingStep[] };
}

export function randomModel(dice: Dice, family: string): RandomModel {
  const features = randomFeatures(dice);
  const { steps, inputs } = readsRows(family)
    ? imputing(dice, columnCount(features))
    : randomPreprocessing(dice, columnCount(features));
  const draw = generators[family](dice, inputs, features);
  const classes = draw.classes ? { classes: Array.from({ length: draw.classes }, (_, k) => `class ${k}`) } : {};
  const document = {
    schema: 'elsewise.model/v1',
    name: 'random',
    family,
    features,
    ...classes,
    preprocessing: steps,
    parameters: draw.parameters,
  };
  return { ...draw, document };
}
