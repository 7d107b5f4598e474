/**
 * LightGBM models, as text (`save_model`) or as JSON (`dump_model`) -> a `tree-ensemble`.
 *
 *   split      value <= threshold in float64
 *   missing    type NaN: NaN follows the default direction
 *              type None: NaN counts as 0, and the default direction is ignored
 *              type Zero: NaN and values within ±1e-35 follow the default direction: `zeroThreshold`
 *   set split  a code in the set goes left; NaN and negative values go right, whatever the missing type
 *   sum        float64 in tree order; tree t adds to class t modulo the trees per iteration; average_output divides by the
 *              iterations, sigmoid:s multiplies the sum by s. Both are folded into the leaves.
 *
 * Leaves keep their numbers: leaf k is node (number of splits) + k. Codes of categories are those of the training data. Where pandas
 * had names for all of them, the names are the categories. Linear trees, other objectives and the root transform (`sqrt`) are refused
 * by name.
 */
import { ElsewiseError } from '../documents/error.js';
import type { FeatureDocument, ModelDocument } from '../documents/model-document.js';
import type { TreeDocument } from '../documents/tree-document.js';
import { nextDown } from '../linalg/floats.js';
import { categoricalFeature, findObjective, lastCodes, type Objective, toDocument, unsupported } from './ensemble.js';
import { readDump } from './lightgbm-dump.js';
import type { LightgbmModel, LightgbmTree, Split } from './lightgbm-model.js';
import { readText } from './lightgbm-text.js';

const ROOT = 'lightgbm';

const IDENTITY = { task: 'regression', link: 'identity' } as const;
const EXPONENTIAL = { task: 'regression', link: 'exp' } as const;
const LOGISTIC = { task: 'binary', link: 'logit' } as const;

const OBJECTIVES: Readonly<Record<string, Objective>> = {
  binary: LOGISTIC,
  cross_entropy: LOGISTIC,
  multiclass: { task: 'multi', link: 'softmax' },
  regression: IDENTITY,
  regression_l1: IDENTITY,
  huber: IDENTITY,
  fair: IDENTITY,
  quantile: IDENTITY,
  mape: IDENTITY,
  poisson: EXPONENTIAL,
  gamma: EXPONENTIAL,
  tweedie: EXPONENTIAL,
};

export function importLightgbm(bytes: Uint8Array): ModelDocument {
  const text = new TextDecoder().decode(bytes);
  const model = /^\s*\{/.test(text) ? readDump(text, ROOT) : readText(text, ROOT);
  const [name, ...settings] = model.objective.split(' ');
  const objective = findObjective(OBJECTIVES, name, `${ROOT}.objective`);
  if (settings.includes('sqrt')) throw unsupported('the objective "regression sqrt"', `${ROOT}.objective`);
  const scale = leafScale(model, settings);
  const trees = model.trees.map((tree, t) => toTree(tree, scale, `${ROOT}.trees[${t}]`));
  return toDocument({
    name: ROOT,
    features: toFeatures(model, trees),
    objective,
    classCount: model.treesPerIteration,
    trees,
    treeClass: trees.map((_, t) => t % model.treesPerIteration),
    base: 0,
    accumulate: 'float64',
  });
}

/** The transformation of a leaf's value into its part of the margin. */
function leafScale(model: LightgbmModel, settings: readonly string[]): (value: number) => number {
  const sigmoid = Number(settings.find((setting) => setting.startsWith('sigmoid:'))?.slice('sigmoid:'.length) ?? 1);
  if (!(sigmoid > 0))
    throw new ElsewiseError('bad-document', `"${model.objective}" has no valid sigmoid`, `${ROOT}.objective`);
  const divisor = model.isAverage ? model.trees.length / model.treesPerIteration : 1;
  return (value) => (value * sigmoid) / divisor;
}

function toTree({ splits, leaves }: LightgbmTree, scale: (value: number) => number, path: string): TreeDocument {
  const nodes = splits.map((split, n) => readSplit(split, `${path}.splits[${n}]`));
  const pad = <T>(filler: T) => leaves.map(() => filler);
  const child = (index: number) => (index < 0 ? splits.length + ~index : index);
  const hasSets = splits.some(({ codes }) => codes);
  return {
    feature: [...splits.map(({ feature }) => feature), ...pad(0)],
    threshold: [...nodes.map(({ threshold }) => threshold), ...pad(0)],
    left: [...splits.map(({ left }) => child(left)), ...pad(-1)],
    right: [...splits.map(({ right }) => child(right)), ...pad(-1)],
    value: [...splits.map(() => [0]), ...leaves.map((value) => [scale(value)])],
    comparison: '<=',
    precision: 'float64',
    missing: [...nodes.map(({ missing }) => missing), ...pad('right' as const)],
    ...(hasSets ? { categories: [...splits.map(({ codes }) => codes), ...pad(null)] } : {}),
  };
}

interface Rule {
  threshold: number;
  missing: 'left' | 'right';
}

function readSplit(split: Split, path: string): Rule {
  const { threshold, codes, missing, isDefaultLeft } = split;
  if (codes) return { threshold: 0, missing: 'right' };
  const byDefault = isDefaultLeft ? 'left' : 'right';
  if (missing === 'NaN') return { threshold, missing: byDefault };
  if (missing === 'None') return { threshold, missing: threshold >= 0 ? 'left' : 'right' };
  return { threshold: zeroThreshold(threshold, isDefaultLeft, path), missing: byDefault };
}

/** Values from -ZERO to ZERO count as zero: 1e-35 as a float32. */
const ZERO = Math.fround(1e-35);
const BELOW_ZERO = nextDown(-ZERO);

/**
 * The threshold of the plain comparison that sends zeros to the default side. It exists only if that side is adjacent to zero; otherwise
 * the values that go left are no interval.
 */
function zeroThreshold(threshold: number, isDefaultLeft: boolean, path: string): number {
  if (isDefaultLeft && threshold >= -ZERO) return Math.max(threshold, ZERO);
  if (!isDefaultLeft && threshold <= ZERO) return Math.min(threshold, BELOW_ZERO);
  const side = isDefaultLeft ? 'left' : 'right';
  throw unsupported(
    `zeros as missing values (missing type Zero) that go ${side} past a threshold of ${threshold}; train without zero_as_missing`,
    path,
  );
}

/** Ordered categories of pandas are numbers for LightGBM: then there are more lists than features, and no list is told from another. */
function toFeatures(model: LightgbmModel, trees: readonly TreeDocument[]): FeatureDocument[] {
  const codes = lastCodes(trees);
  const coded = model.features.flatMap(({ codes: seen }, f) => (codes.has(f) || seen.length ? [f] : []));
  const lists = model.categoryNames.length === coded.length ? model.categoryNames : [];
  return model.features.map(({ name, codes: seen }, f) => {
    if (!coded.includes(f)) return { name, type: 'continuous' };
    const last = seen.reduce((a, b) => Math.max(a, b), codes.get(f) ?? 0);
    return categoricalFeature(name, last, `${ROOT}.features[${f}]`, lists[coded.indexOf(f)]);
  });
}
