/**
 * What the solvers are measured on: seeded models, policies and rows, by family, norm, size and policy.
 *
 *   plain           nothing but the model
 *   box             a fifth of the features never change, two fifths go one way only, all have bounds
 *   mixed-integer   steps, whole numbers, yes/no and one-hot features, at most three changes
 *   linked          linear constraints between pairs of features
 *
 * A case is drawn from a seed of its own, so that it is the same whatever else runs.
 */
import { createRandom } from './random.mjs';

const SIZES = [10, 30, 100];
/** For problems that may take their whole deadline. */
const HARD_SIZES = [10, 30];
const ONE_ROW = ['hyperplane', 'logistic-regression'];
const SEVERAL_ROWS = ['softmax-regression', 'lda'];
const REGRESSIONS = ['linear-regression', 'poisson-regression', 'exponential-regression'];
const GAUSSIANS = ['gaussian-naive-bayes', 'qda'];
const SAMPLES = 200;
const DEADLINE_MS = 100;

/** All cases, by policy, family, classes, norm and size. */
export function listCases() {
  const cases = [
    ...cross('plain', ONE_ROW, [2], SIZES, ['l1', 'l2']),
    ...cross('plain', REGRESSIONS, [0], SIZES, ['l1', 'l2']),
    ...cross('plain', SEVERAL_ROWS, [2, 3], SIZES, ['l1', 'l2']),
    ...cross('plain', SEVERAL_ROWS, [10], [10, 30, 64, 100], ['l1', 'l2']),
    ...cross('plain', GAUSSIANS, [2], HARD_SIZES, ['l2']),
    ...cross('plain', GAUSSIANS, [3], [13], ['l1', 'l2']),
    ...cross('plain', ['lvq'], [3], HARD_SIZES, ['l1', 'l2']),
    ...cross('plain', ['decision-tree'], [2], [20], ['l0', 'l1', 'l2', 'mahalanobis']),
    ...cross('plain', ['logistic-regression'], [2], SIZES, ['l0', 'mahalanobis']),
    ...cross('plain', ['softmax-regression'], [3], SIZES, ['l0', 'mahalanobis']),
    ...cross('plain', ['logistic-regression'], [2], HARD_SIZES, ['percentile']),
    ...cross('plain', ['softmax-regression'], [3], HARD_SIZES, ['percentile']),
    ...cross('box', ['logistic-regression'], [2], SIZES, ['l1', 'l2']),
    ...cross('box', ['softmax-regression'], [10], SIZES, ['l1', 'l2']),
    ...cross('linked', ['logistic-regression'], [2], SIZES, ['l1', 'l2']),
    ...cross('linked', ['softmax-regression'], [3], SIZES, ['l1', 'l2']),
    ...cross('linked', ['decision-tree'], [2], [20], ['l1', 'l2']),
    ...cross('mixed-integer', ['decision-tree'], [2], [20], ['l1']),
    ...cross('mixed-integer', ['logistic-regression'], [2], SIZES, ['l0', 'l1']),
    ...cross('mixed-integer', ['softmax-regression'], [3], SIZES, ['l0', 'l1']),
    ...cross('mixed-integer', ['logistic-regression'], [2], HARD_SIZES, ['l2', 'percentile']),
    ...cross('mixed-integer', ['softmax-regression'], [3], HARD_SIZES, ['l2', 'percentile']),
  ];
  const rank = ({ policy, family }) =>
    100 * Object.keys(POLICIES).indexOf(policy) + Object.keys(MODELS).indexOf(family);
  return cases.sort((a, b) => rank(a) - rank(b) || a.classes - b.classes);
}

function cross(policy, families, classCounts, sizes, norms) {
  return families.flatMap((family) =>
    classCounts.flatMap((classes) =>
      norms.flatMap((norm) => sizes.map((size) => nameCase({ policy, family, classes, size, norm }))),
    ),
  );
}

function nameCase(parts) {
  const classes = parts.classes > 2 ? `${parts.classes} classes ` : '';
  return { label: `${parts.policy} ${parts.family} ${classes}d=${parts.size} ${parts.norm}`, ...parts };
}

/** The documents of a case, and a source of rows: values in the order of the features. */
export function buildCase({ label, policy, family, classes, size, norm }) {
  const random = createRandom(seedOf(label));
  const features = Array.from({ length: size }, (_, i) => (policy === 'mixed-integer' ? mixed(i) : continuous(i)));
  const drawRow = () => features.map((feature) => feature.draw(random));
  const { parameters, target } = MODELS[family](
    features.flatMap(({ columns }) => columns),
    classes,
    random,
  );
  const model = {
    schema: 'elsewise.model/v1',
    name: 'bench',
    family,
    features: features.map(({ document }) => document),
    ...(classes > 0 && { classes: labels(classes) }),
    parameters,
    background: { samples: Array.from({ length: SAMPLES }, drawRow) },
  };
  return { model, policy: buildPolicy(policy, features, norm, target), drawRow };
}

const labels = (classes) => Array.from({ length: classes }, (_, k) => `class${k}`);

// -------------------------------------------------------------------------------------------------- features

/** `columns`: about how the values of each of the feature's columns are distributed. */
function continuous(i) {
  return {
    document: { name: `x${i}`, type: 'continuous' },
    columns: [{ mean: 0, spread: 1 }],
    draw: (random) => round(normal(random), 3),
  };
}

const CATEGORIES = ['a', 'b', 'c', 'd'];

const KINDS = [
  (name) => ({
    document: { name, type: 'continuous', min: -4, max: 4, decimals: 2 },
    rule: { step: 0.1 },
    columns: [{ mean: 0, spread: 1 }],
    draw: (random) => round(clamp(normal(random), -4, 4), 2),
  }),
  (name) => ({
    document: { name, type: 'integer', min: 0, max: 10 },
    rule: { maxDecrease: 5 },
    columns: [{ mean: 5, spread: 2 }],
    draw: (random) => clamp(Math.round(5 + 2 * normal(random)), 0, 10),
  }),
  (name) => ({
    document: { name, type: 'continuous', min: 0, max: 100, decimals: 0 },
    rule: { change: 'increase', step: 5 },
    columns: [{ mean: 50, spread: 20 }],
    draw: (random) => clamp(Math.round(50 + 20 * normal(random)), 0, 100),
  }),
  (name) => ({
    document: { name, type: 'boolean' },
    rule: {},
    columns: [{ mean: 0.5, spread: 0.5 }],
    draw: (random) => random() < 0.5,
  }),
  (name) => ({
    document: { name, type: 'categorical', categories: CATEGORIES },
    rule: { allow: CATEGORIES.slice(0, 3) },
    columns: CATEGORIES.map(() => ({ mean: 0.25, spread: 0.4 })),
    draw: (random) => CATEGORIES[Math.floor(4 * random())],
  }),
];

const mixed = (i) => KINDS[i % KINDS.length](`x${i}`);

// -------------------------------------------------------------------------------------------------- models

/** By family: parameters over the columns, and a target that most rows do not have. */
const MODELS = {
  hyperplane: twoSides,
  'logistic-regression': twoSides,
  'softmax-regression': (columns, classes, random) => {
    const scores = labels(classes).map(() => drawScore(columns, random));
    return {
      parameters: { weights: scores.map(({ weights }) => weights), bias: scores.map(({ bias }) => bias) },
      target: 'class1',
    };
  },
  lda: (columns, classes, random) => ({
    parameters: {
      means: labels(classes).map(() => columns.map(({ mean, spread }) => mean + spread * normal(random))),
      covariance: correlated(columns),
      priors: labels(classes).map(() => 1 / classes),
    },
    target: 'class1',
  }),
  'linear-regression': (columns, _, random) => regression(columns, random, 0, { value: 2, tolerance: 0.05 }),
  'poisson-regression': (columns, _, random) => regression(columns, random, 0, { value: 5, tolerance: 0.05 }),
  'exponential-regression': (columns, _, random) => regression(columns, random, -6, { value: 0.5, tolerance: 0.01 }),
  'gaussian-naive-bayes': (columns, classes, random) => ({
    parameters: {
      ...classCentres(columns, classes, random),
      variances: labels(classes).map(() => columns.map(({ spread }) => (spread * (0.5 + random())) ** 2)),
    },
    target: 'class1',
  }),
  qda: (columns, classes, random) => ({
    parameters: {
      ...classCentres(columns, classes, random),
      covariances: labels(classes).map(() => {
        const stretched = columns.map((column) => ({ ...column, spread: column.spread * (0.5 + random()) }));
        return correlated(stretched);
      }),
    },
    target: 'class1',
  }),
  lvq: (columns, classes, random) => {
    const labelled = [...labels(classes), ...labels(classes)];
    return {
      parameters: {
        prototypes: labelled.map(() => columns.map(({ mean, spread }) => mean + spread * normal(random))),
        labels: labelled,
        relevance: correlated(columns.map(({ mean, spread }) => ({ mean, spread: 1 / spread }))),
      },
      target: 'class1',
    };
  },
  'decision-tree': (columns, classes, random) => ({
    parameters: { tree: drawTree(columns, classes, random), task: 'classification' },
    target: 'class1',
  }),
};

const LEAVES = 100;

/** Grown level by level, with thresholds where the rows are; each leaf prefers one class. */
function drawTree(columns, classes, random) {
  const tree = { feature: [], threshold: [], left: [], right: [], value: [] };
  const addLeaf = () => {
    const preferred = Math.floor(classes * random());
    tree.value.push(labels(classes).map((_, k) => (k === preferred ? 0.6 : 0.4 / (classes - 1))));
    tree.feature.push(0);
    tree.threshold.push(0);
    tree.left.push(-1);
    return tree.right.push(-1) - 1;
  };
  addLeaf();
  for (let node = 0; tree.left.length < 2 * LEAVES - 1; node++) {
    const column = Math.floor(columns.length * random());
    tree.feature[node] = column;
    tree.threshold[node] = round(columns[column].mean + 0.8 * columns[column].spread * normal(random), 3);
    tree.left[node] = addLeaf();
    tree.right[node] = addLeaf();
  }
  return { ...tree, precision: 'float32' };
}

function classCentres(columns, classes, random) {
  return {
    means: labels(classes).map(() => columns.map(({ mean, spread }) => mean + spread * normal(random))),
    priors: labels(classes).map(() => 1 / classes),
  };
}

/** The boundary lies half a standard deviation of the score beyond the middle of the rows. */
function twoSides(columns, _, random) {
  const { weights, bias } = drawScore(columns, random);
  return { parameters: { weights, bias: bias - 0.5 * Math.sqrt(columns.length) }, target: 'class1' };
}

/** A predictor of standard deviation 1 around the bias. */
function regression(columns, random, bias, target) {
  const score = drawScore(columns, random);
  const scale = 1 / Math.sqrt(columns.length);
  return {
    parameters: { weights: score.weights.map((weight) => scale * weight), bias: bias + scale * score.bias },
    target,
  };
}

/** A score that is 0 in the middle of the rows and to which all columns contribute alike. */
function drawScore(columns, random) {
  const weights = columns.map(({ spread }) => normal(random) / spread);
  return { weights, bias: -columns.reduce((sum, { mean }, c) => sum + weights[c] * mean, 0) };
}

/** Correlations that fall with the distance of the columns. */
const correlated = (columns) =>
  columns.map((a, i) => columns.map((b, j) => a.spread * b.spread * 0.5 ** Math.abs(i - j)));

// -------------------------------------------------------------------------------------------------- policies

const POLICIES = {
  plain: () => ({}),
  box: (features) => ({ features: byName(features, (_, i) => BOX_RULES[i % BOX_RULES.length]) }),
  linked: (features) => ({ constraints: features.slice(0, 6).map((_, i) => LINKS[i % LINKS.length](i)) }),
  'mixed-integer': (features) => ({ features: byName(features, ({ rule }) => rule), maxChanges: 3 }),
};

const BOX_RULES = [
  { change: 'never' },
  { change: 'increase', max: 4 },
  { change: 'decrease', min: -4 },
  { min: -3, max: 3, maxIncrease: 2, maxDecrease: 2 },
  { min: -5, max: 5 },
];

const LINKS = [(i) => `x${i} <= x${i + 1} + 4`, (i) => `2 * x${i} + x${i + 2} <= 7`, (i) => `x${i} + x${i + 3} >= -5`];

const byName = (features, ruleOf) =>
  Object.fromEntries(features.map((feature, i) => [feature.document.name, ruleOf(feature, i)]));

function buildPolicy(name, features, norm, target) {
  const rules = POLICIES[name](features);
  return { schema: 'elsewise.policy/v1', name, target, cost: { norm }, deadlineMs: DEADLINE_MS, ...rules };
}

// -------------------------------------------------------------------------------------------------- dice

const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

const round = (value, decimals) => Number(value.toFixed(decimals));

/** FNV-1a */
function seedOf(text) {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  return hash;
}

/** Box-Muller */
const normal = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
