/** Random parameters for every family, over inputs of given sizes. */
import type { Dice } from '../../support/dice.js';
import type { TreeSpec } from '../evaluate/trees.js';
import type { Ground } from './terrain.js';

export interface Draw {
  parameters: Record<string, unknown>;
  /** 0 for a regressor. */
  classes: number;
}

export interface Inputs {
  ground: Ground;
  /** By input: the size of its values. */
  units: number[];
  /** By input: values that occur, so that thresholds can lie on them. */
  seen: number[][];
  /** Inputs that are ranks: splits may be by sets of categories. */
  ranks: boolean[];
  /** A row may lack values. */
  missing: boolean;
}

export const classNames = (count: number): string[] => Array.from({ length: count }, (_, k) => `c${k}`);

const weightOf = (dice: Dice, { ground, units }: Inputs, i: number): number => {
  if (dice.chance(0.08)) return 0;
  if (ground === 'tidy') return dice.integer(-3, 3);
  return Number((dice.normal() / units[i]).toPrecision(dice.pick([2, 4, 15])));
};

const weights = (dice: Dice, inputs: Inputs): number[] => {
  const drawn = inputs.units.map((_, i) => weightOf(dice, inputs, i));
  if (!drawn.some((value) => value !== 0)) drawn[0] = 1 / inputs.units[0];
  return drawn;
};

const bias = (dice: Dice, { ground }: Inputs): number =>
  ground === 'tidy' ? dice.integer(-3, 3) : Number((1.5 * dice.normal()).toPrecision(4));

const linear = (dice: Dice, inputs: Inputs) => ({ weights: weights(dice, inputs), bias: bias(dice, inputs) });

const means = (dice: Dice, { ground, units }: Inputs): number[] =>
  units.map((unit) => (ground === 'tidy' ? dice.integer(-2, 2) : Number((dice.normal() * unit).toPrecision(4))));

function priors(dice: Dice, classes: number, ground: Ground): number[] {
  if (ground === 'tidy' || dice.chance(0.3)) return Array<number>(classes).fill(1 / classes);
  const shares = dice.vector(classes, () => dice.between(0.2, 1));
  const total = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => share / total);
}

/** D (A Aᵀ / n + ridge I) D with D the units. */
export function positive(dice: Dice, units: readonly number[], ridge: number, ground: Ground): number[][] {
  const n = units.length;
  const root = dice.matrix(n, n, () => (ground === 'tidy' ? dice.integer(-1, 1) : dice.normal()));
  const raw = root.map((a, i) =>
    root.map((b, j) => a.reduce((sum, value, k) => sum + value * b[k], 0) + (i === j ? ridge : 0)),
  );
  return raw.map((row, i) =>
    row.map((value, j) => (ground === 'tidy' ? value : Number(((value / n) * units[i] * units[j]).toPrecision(6)))),
  );
}

const inverseUnits = (units: readonly number[]) => units.map((unit) => 1 / unit);

function lvq(dice: Dice, inputs: Inputs): Draw {
  const classes = dice.integer(2, 3);
  const count = classes * dice.integer(1, 2);
  const prototypes = Array.from({ length: count }, () => means(dice, inputs));
  const labels = prototypes.map((_, p) => `c${p % classes}`);
  // A singular matrix that is rounded may have a negative eigenvalue, and is refused then.
  const ridges = inputs.ground === 'tidy' ? [0, 1] : [1e-3, 1];
  const matrix = () => symmetric(positive(dice, inverseUnits(inputs.units), dice.pick(ridges), inputs.ground));
  const relevance = dice.pick([
    () => ({}),
    () => ({ relevance: matrix() }),
    () => ({ relevances: classNames(classes).map(matrix) }),
    () => ({ relevances: prototypes.map(matrix) }),
  ])();
  return { parameters: { prototypes, labels, ...relevance }, classes };
}

/** Samples on whole numbers have many at equal distance. */
function neighbours(dice: Dice, inputs: Inputs): Draw {
  const classes = dice.pick([0, 2, 2, 3]);
  const samples = Array.from({ length: dice.integer(5, 10) }, () => means(dice, inputs));
  const labels = samples.map((_, i) => (classes ? `c${i % classes}` : dice.integer(-4, 4)));
  const parameters = {
    samples,
    labels,
    k: dice.pick([1, 1, 2, 3, 4]),
    metric: dice.pick(['euclidean', 'euclidean', 'euclidean', 'manhattan']),
    weights: dice.pick(['uniform', 'uniform', 'uniform', 'distance']),
  };
  return { parameters, classes };
}

function kernelMachine(dice: Dice, inputs: Inputs): Draw {
  const classes = dice.pick([0, 2, 2, 3]);
  const counts = Array.from({ length: Math.max(1, classes) }, () => dice.integer(1, 3));
  const supportVectors = counts.flatMap((count) => Array.from({ length: count }, () => means(dice, inputs)));
  const width = Math.max(...inputs.units.map(Math.abs)) ** 2 * inputs.units.length;
  const gamma = Number((1 / (width || 1)).toPrecision(3));
  const kernel = dice.pick([
    { type: 'linear' },
    { type: 'rbf', gamma },
    { type: 'rbf', gamma },
    { type: 'poly', gamma, coef0: 1, degree: dice.integer(1, 3) },
    { type: 'sigmoid', gamma, coef0: -0.2 },
  ]);
  const coefficients = () => supportVectors.map(() => Number(dice.normal().toPrecision(4)));
  const one = { dualCoefficients: coefficients(), intercept: Number((0.3 * dice.normal()).toPrecision(3)) };
  const several = {
    dualCoefficients: Array.from({ length: classes - 1 }, coefficients),
    intercept: Array.from({ length: (classes * (classes - 1)) / 2 }, () =>
      Number((0.3 * dice.normal()).toPrecision(3)),
    ),
    supportCounts: counts,
  };
  return { parameters: { supportVectors, kernel, ...(classes > 2 ? several : one) }, classes };
}

const symmetric = (rows: number[][]): number[][] =>
  rows.map((row, i) => row.map((_, j) => (rows[i][j] + rows[j][i]) / 2));

function tree(dice: Dice, inputs: Inputs, depth: number, leaf: () => number[], plain = false): TreeSpec {
  const drawn: TreeSpec = { feature: [], threshold: [], left: [], right: [], value: [] };
  const categories: (number[] | null)[] = [];
  const grow = (level: number): number => {
    const node = drawn.feature.length;
    const isLeaf = level === depth || (level > 0 && dice.chance(0.15));
    const input = dice.integer(0, inputs.units.length - 1);
    drawn.feature.push(isLeaf ? 0 : input);
    drawn.threshold.push(isLeaf ? 0 : threshold(dice, inputs, input));
    drawn.value.push(leaf());
    categories.push(
      !isLeaf && !plain && inputs.ranks[input] && dice.chance(0.4) ? dice.pick([[0], [1], [0, 2], [1, 3], [2]]) : null,
    );
    drawn.left.push(-1);
    drawn.right.push(-1);
    if (!isLeaf) {
      drawn.left[node] = grow(level + 1);
      drawn.right[node] = grow(level + 1);
    }
    return node;
  };
  grow(0);
  if (categories.some((set) => set)) drawn.categories = categories;
  if (dice.chance(0.4)) drawn.comparison = dice.pick(['<=', '<']);
  if (dice.chance(0.4)) drawn.precision = dice.pick(['float32', 'float64']);
  if (inputs.missing)
    drawn.missing = dice.chance(0.5)
      ? dice.pick(['left', 'right'])
      : drawn.left.map(() => dice.pick(['left', 'right']));
  return drawn;
}

/** Often a value that rows have. LightGBM writes its zero as 1e-35. */
function threshold(dice: Dice, { ground, units, seen }: Inputs, input: number): number {
  if (dice.chance(0.45) && seen[input].length) return dice.pick(seen[input]);
  if (dice.chance(0.05)) return 1.0000000180025095e-35;
  if (ground === 'tidy') return dice.integer(-4, 4) / 2;
  return Number((dice.normal() * units[input]).toPrecision(dice.pick([2, 3, 16])));
}

const shares = (dice: Dice, classes: number, ground: Ground) => (): number[] => {
  const draw = dice.vector(classes, () => (ground === 'tidy' ? dice.integer(0, 4) : dice.between(0, 1)));
  const total = ground === 'tidy' ? 8 : draw.reduce((sum, value) => sum + value, 0);
  return draw.map((value) => value / total);
};

function ensemble(dice: Dice, inputs: Inputs): Draw {
  const { ground } = inputs;
  const count = dice.integer(1, 5);
  const depth = dice.integer(1, 3);
  const trees = (leaf: () => number[]) => Array.from({ length: count }, () => tree(dice, inputs, depth, leaf));
  const one = () => [ground === 'tidy' ? dice.integer(-4, 4) / 4 : dice.normal()];
  const base = () => (ground === 'tidy' ? dice.integer(-2, 2) / 2 : dice.normal());
  const accumulate = dice.chance(0.3) ? { accumulate: 'float32' } : {};
  const classes = dice.integer(2, 4);
  const kind = dice.pick(['forest', 'votes', 'logit', 'identity', 'multi', 'regression', 'exp']);
  if (kind === 'forest' || kind === 'votes')
    return {
      parameters: { trees: trees(shares(dice, classes, ground)), aggregation: kind === 'votes' ? 'vote' : 'mean' },
      classes,
    };
  if (kind === 'multi') {
    const treeClass = Array.from({ length: count }, (_, t) => t % classes);
    const start = classNames(classes).map(base);
    const link = dice.pick(['softmax', 'softmax', 'identity']);
    return {
      parameters: { trees: trees(one), aggregation: 'sum', base: start, link, treeClass, ...accumulate },
      classes,
    };
  }
  if (kind === 'logit' || kind === 'identity')
    return {
      parameters: { trees: trees(one), aggregation: 'sum', base: base(), link: kind, ...accumulate },
      classes: 2,
    };
  const link = kind === 'exp' ? 'exp' : 'identity';
  return {
    parameters: { trees: trees(one), aggregation: dice.pick(['sum', 'mean']), base: 0, link, ...accumulate },
    classes: 0,
  };
}

export function isolation(dice: Dice, inputs: Inputs, offset: number) {
  const leaf = () => [dice.integer(3, 20) / 10];
  return { trees: Array.from({ length: dice.integer(1, 4) }, () => tree(dice, inputs, 3, leaf, true)), offset };
}

const gaussian = (dice: Dice, inputs: Inputs) => {
  const classes = dice.pick([2, 2, 3, 4]);
  return {
    classes,
    means: classNames(classes).map(() => means(dice, inputs)),
    priors: priors(dice, classes, inputs.ground),
  };
};

/** One or two hidden layers, of relu in most draws. */
function network(dice: Dice, inputs: Inputs): Draw {
  const classes = dice.pick([0, 2, 2, 3]);
  const hidden = dice.pick(['relu', 'relu', 'relu', 'relu', 'tanh']);
  const widths = Array.from({ length: dice.integer(1, 2) }, () => dice.integer(2, 5));
  const last = { 0: 'identity', 2: 'logistic', 3: 'softmax' }[classes]!;
  const first = layer(dice, inputs, widths[0], hidden);
  const others = [...widths.slice(1), classes > 2 ? classes : 1].map((units, l) => {
    const plain = { ...inputs, units: Array<number>(widths[l]).fill(1) };
    return layer(dice, plain, units, l === widths.length - 1 ? last : hidden);
  });
  return { parameters: { layers: [first, ...others] }, classes };
}

const layer = (dice: Dice, inputs: Inputs, units: number, activation: string) => ({
  weights: Array.from({ length: units }, () => weights(dice, inputs)),
  bias: Array.from({ length: units }, () => bias(dice, inputs)),
  activation,
});

export const GENERATORS: Record<string, (dice: Dice, inputs: Inputs) => Draw> = {
  hyperplane: (dice, inputs) => ({ parameters: linear(dice, inputs), classes: 2 }),
  'logistic-regression': (dice, inputs) => {
    const threshold = dice.chance(0.5) ? {} : { threshold: dice.pick([0.25, 0.5, 0.7, 0.9]) };
    return { parameters: { ...linear(dice, inputs), ...threshold }, classes: 2 };
  },
  'softmax-regression': (dice, inputs) => {
    const classes = dice.integer(2, 4);
    const names = classNames(classes);
    const normalization = dice.pick(['softmax', 'softmax', 'softmax', 'sigmoid', 'none']);
    const shape = { weights: names.map(() => weights(dice, inputs)), bias: names.map(() => bias(dice, inputs)) };
    return { parameters: { ...shape, normalization }, classes };
  },
  lda: (dice, inputs) => {
    const { classes, ...rest } = gaussian(dice, inputs);
    const covariance = symmetric(positive(dice, inputs.units, 1, inputs.ground));
    return { parameters: { means: rest.means, covariance, priors: rest.priors }, classes };
  },
  'linear-regression': (dice, inputs) => ({ parameters: linear(dice, inputs), classes: 0 }),
  'poisson-regression': (dice, inputs) => ({ parameters: linear(dice, inputs), classes: 0 }),
  'exponential-regression': (dice, inputs) => ({ parameters: linear(dice, inputs), classes: 0 }),
  'gaussian-naive-bayes': (dice, inputs) => {
    const { classes, means: centres, priors: shares } = gaussian(dice, inputs);
    const row = () =>
      inputs.units.map((unit) =>
        inputs.ground === 'tidy'
          ? dice.pick([0.5, 1, 2, 4])
          : Number((unit * unit * dice.between(0.1, 3)).toPrecision(4)),
      );
    const same = dice.chance(0.25) ? row() : null;
    return { parameters: { means: centres, variances: centres.map(() => same ?? row()), priors: shares }, classes };
  },
  qda: (dice, inputs) => {
    const { classes, means: centres, priors: shares } = gaussian(dice, inputs);
    const covariances = centres.map(() => symmetric(positive(dice, inputs.units, dice.pick([0.3, 1]), inputs.ground)));
    return { parameters: { means: centres, covariances, priors: shares }, classes };
  },
  lvq,
  'decision-tree': (dice, inputs) => {
    const classes = dice.pick([0, 2, 3]);
    const leaf = classes
      ? shares(dice, classes, inputs.ground)
      : () => [inputs.ground === 'tidy' ? dice.integer(-3, 3) : dice.normal()];
    const drawn = tree(dice, inputs, dice.integer(1, 4), leaf);
    return { parameters: { tree: drawn, task: classes ? 'classification' : 'regression' }, classes };
  },
  'tree-ensemble': ensemble,
  mlp: network,
  'isolation-forest': (dice, inputs) => ({
    parameters: isolation(dice, inputs, -Number(dice.between(0.35, 0.6).toFixed(2))),
    classes: 2,
  }),
  knn: neighbours,
  'kernel-svm': kernelMachine,
};
