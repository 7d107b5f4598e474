/**
 * LightGBM models, as text (`save_model`) or as JSON (`dump_model`) -> a `tree-ensemble`.
 *
 *   trees      lightgbm-trees.ts
 *   sum        float64 in tree order; tree t adds to class t modulo the trees per iteration; average_output divides by the
 *              iterations, sigmoid:s multiplies the sum by s. Both are folded into the leaves.
 *
 * Codes of categories are those of the training data. Where pandas had names for all of them, the names are the categories. Linear trees
 * and other objectives are refused by name.
 */
import { ElsewiseError } from '../../documents/error.js';
import type { FeatureDocument, ModelDocument } from '../../documents/model-document.js';
import type { TreeDocument } from '../../documents/tree-document.js';
import type { ImportChoices } from '../choices.js';
import { categoricalFeature, findObjective, lastCodes, type Objective, toDocument } from '../ensemble.js';
import { refuseOutput } from '../outputs.js';
import { NodeBudget } from '../tree-growth.js';
import { readDump } from './lightgbm-dump.js';
import type { LightgbmModel } from './lightgbm-model.js';
import { readText } from './lightgbm-text.js';
import { toTree } from './lightgbm-trees.js';

const ROOT = 'lightgbm';

const IDENTITY = { task: 'regression', link: 'identity' } as const;
const EXPONENTIAL = { task: 'regression', link: 'exp' } as const;
const LOGISTIC = { task: 'binary', link: 'logit' } as const;

const OBJECTIVES: Readonly<Record<string, Objective>> = {
  binary: LOGISTIC,
  cross_entropy: LOGISTIC,
  cross_entropy_lambda: { task: 'regression', link: 'softplus' },
  multiclass: { task: 'multi', link: 'softmax' },
  multiclassova: { task: 'multi', link: 'logit' },
  regression: IDENTITY,
  regression_l1: IDENTITY,
  huber: IDENTITY,
  fair: IDENTITY,
  quantile: IDENTITY,
  mape: IDENTITY,
  poisson: EXPONENTIAL,
  gamma: EXPONENTIAL,
  tweedie: EXPONENTIAL,
  lambdarank: IDENTITY,
  rank_xendcg: IDENTITY,
};
/** An objective with the setting `sqrt`: the library trains on roots and predicts squares with the sign of the sum. */
const SQUARES: Objective = { task: 'regression', link: 'signed-square' };

export function importLightgbm(bytes: Uint8Array, choices: ImportChoices = {}): ModelDocument {
  refuseOutput(choices, ROOT);
  const text = new TextDecoder().decode(bytes);
  const model = /^\s*\{/.test(text) ? readDump(text, ROOT) : readText(text, ROOT);
  const [name, ...settings] = model.objective.split(' ');
  const known = findObjective(OBJECTIVES, name, `${ROOT}.objective`);
  const objective = settings.includes('sqrt') ? SQUARES : known;
  checkIterations(model);
  const scale = leafScale(model, settings);
  const budget = new NodeBudget(choices, `${ROOT}.trees`);
  const trees = model.trees.map((tree, t) => toTree(tree, scale, budget, `${ROOT}.trees[${t}]`));
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

/** Every iteration has a tree for each class. */
function checkIterations({ trees, treesPerIteration }: LightgbmModel): void {
  if (trees.length % treesPerIteration === 0) return;
  const message = `${trees.length} trees are no whole number of iterations of ${treesPerIteration} trees`;
  throw new ElsewiseError('bad-document', message, `${ROOT}.num_tree_per_iteration`);
}

/** The transformation of a leaf's value into its part of the margin. */
function leafScale(model: LightgbmModel, settings: readonly string[]): (value: number) => number {
  const sigmoid = Number(settings.find((setting) => setting.startsWith('sigmoid:'))?.slice('sigmoid:'.length) ?? 1);
  if (!(sigmoid > 0))
    throw new ElsewiseError('bad-document', `"${model.objective}" has no valid sigmoid`, `${ROOT}.objective`);
  const divisor = model.isAverage ? model.trees.length / model.treesPerIteration : 1;
  return (value) => (value * sigmoid) / divisor;
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
