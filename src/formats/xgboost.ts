/**
 * XGBoost models, as JSON or UBJSON (the formats of `save_model` since 1.0) -> a `tree-ensemble`.
 *
 *   split       value < condition, both float32;  NaN follows default_left
 *   categories  a value in the node's set goes right, any other left: the children change places here, where a set goes left
 *   leaf        split_conditions of a node without children; times weight_drop[tree] for dart
 *   sum         float32, from base_score in tree order; tree_info[t] is the class that tree t adds to
 *   base_score  as a prediction, so the inverse link makes it a margin; "5E-1", since 3.1 a list in a string: "[5E-1]"
 *   iterations  trees up to best_iteration count, as in predictions of the scikit-learn interface; iteration i ends before
 *               tree iteration_indptr[i + 1], in older files (i + 1) * num_parallel_tree * classes
 *
 * Codes of categories are those of the training data. Since 3.1 the file may contain their names (`cats`): for each feature the bytes of
 * all names in a row with their offsets, or numbers. Unknown keys are ignored. Unknown structures (gblinear, leaves with several outputs,
 * other objectives) are refused by name.
 */
import { z } from 'zod';
import { listOf } from '../documents/collections.js';
import { ElsewiseError } from '../documents/error.js';
import type { FeatureDocument, ModelDocument } from '../documents/model-document.js';
import { parseDocument } from '../documents/parse.js';
import type { TreeDocument } from '../documents/tree-document.js';
import {
  categoricalFeature,
  findObjective,
  lastCodes,
  type Objective,
  parseLibraryJson,
  toDocument,
  unsupported,
} from './ensemble.js';
import { decodeUbjson } from './ubjson.js';

const ROOT = 'xgboost';
const round = Math.fround;

/** Inverse links in the library's float32 arithmetic. */
const asIs = (score: number) => score;
const logit = (score: number) => round(-Math.log(round(round(1 / score) - 1)));
const log = (score: number) => round(Math.log(score));

const IDENTITY = { task: 'regression', link: 'identity', toMargin: asIs } as const;
const EXPONENTIAL = { task: 'regression', link: 'exp', toMargin: log } as const;
const MULTI = { task: 'multi', link: 'softmax', toMargin: asIs } as const;

const OBJECTIVES: Readonly<Record<string, Objective & { toMargin(score: number): number }>> = {
  'binary:logistic': { task: 'binary', link: 'logit', toMargin: logit },
  'binary:logitraw': { task: 'binary', link: 'identity', toMargin: asIs },
  'multi:softmax': MULTI,
  'multi:softprob': MULTI,
  'reg:squarederror': IDENTITY,
  'reg:linear': IDENTITY,
  'reg:squaredlogerror': IDENTITY,
  'reg:absoluteerror': IDENTITY,
  'reg:pseudohubererror': IDENTITY,
  'reg:quantileerror': IDENTITY,
  'count:poisson': EXPONENTIAL,
  'reg:gamma': EXPONENTIAL,
  'reg:tweedie': EXPONENTIAL,
};

/** Parameters are numbers written as strings. */
const parameter = z.union([z.string(), z.number()]);
const numbers = listOf(z.number());
/** Set splits have no condition: NaN, which JSON cannot express. */
const condition = z.union([z.number(), z.nan(), z.null()]).transform((value) => value ?? Number.NaN);

const treeForm = z.object({
  left_children: numbers,
  right_children: numbers,
  split_indices: numbers,
  split_conditions: listOf(condition),
  default_left: listOf(z.union([z.number(), z.boolean()])),
  categories: numbers.default([]),
  categories_nodes: numbers.default([]),
  categories_segments: numbers.default([]),
  categories_sizes: numbers.default([]),
  tree_param: z.object({ size_leaf_vector: parameter.default(0) }).default({ size_leaf_vector: 0 }),
});

/** The names of a feature's codes. A number has no names. */
const namesForm = z.object({ offsets: numbers.optional(), values: numbers.default([]) });

const forestForm = z.object({
  cats: z.object({ enc: listOf(namesForm).default([]) }).default({ enc: [] }),
  gbtree_model_param: z.object({ num_parallel_tree: parameter.default(1) }),
  iteration_indptr: numbers.optional(),
  tree_info: numbers,
  trees: listOf(treeForm),
});

/** The part that decides whether the rest can be read. */
const headForm = z.object({
  learner: z.object({ gradient_booster: z.object({ name: z.string() }), objective: z.object({ name: z.string() }) }),
});

const fileForm = z.object({
  learner: z.object({
    attributes: z.object({ best_iteration: parameter.optional() }).default({}),
    feature_names: listOf(z.string()).default([]),
    feature_types: listOf(z.string()).default([]),
    gradient_booster: z.discriminatedUnion('name', [
      z.object({ name: z.literal('gbtree'), model: forestForm }),
      z.object({ name: z.literal('dart'), gbtree: z.object({ model: forestForm }), weight_drop: numbers }),
    ]),
    learner_model_param: z.object({
      base_score: parameter,
      num_class: parameter.default(0),
      num_feature: parameter,
      num_target: parameter.default(1),
    }),
  }),
});

type XgboostTree = z.output<typeof treeForm>;
type Forest = z.output<typeof forestForm>;
type Learner = z.output<typeof fileForm>['learner'];

export function importXgboost(bytes: Uint8Array): ModelDocument {
  const file = decode(bytes);
  const { gradient_booster: booster, objective } = parseDocument(headForm, file, ROOT).learner;
  if (booster.name === 'gblinear')
    throw unsupported('the booster "gblinear": it has no trees', `${ROOT}.learner.gradient_booster.name`);
  const { toMargin, ...kind } = findObjective(OBJECTIVES, objective.name, `${ROOT}.learner.objective.name`);
  const { learner } = parseDocument(fileForm, file, ROOT);
  checkTargets(learner);
  const forest = forestOf(learner);
  const classCount = Math.max(1, Number(learner.learner_model_param.num_class));
  const used = usedTrees(forest, learner.attributes.best_iteration, classCount);
  const trees = forest.trees.slice(0, used).map((tree, t) => toTree(tree, weightOf(learner, t), t));
  return toDocument({
    name: ROOT,
    features: toFeatures(learner, forest, trees),
    objective: kind,
    classCount,
    trees,
    treeClass: forest.tree_info.slice(0, used),
    base: readBase(learner, toMargin),
    accumulate: 'float32',
  });
}

/** First bytes of files that XGBoost also writes and that are no models to import. */
const OTHER_FORMS: Readonly<Record<string, string>> = {
  binf: 'the old binary format; load it with an XGBoost before 3.1 and save it as .json or .ubj',
  bs64: 'the old binary format; load it with an XGBoost before 3.1 and save it as .json or .ubj',
  boos: 'what `dump_model` writes, which is for people; use `save_model`',
  '[': 'what `dump_model` writes, which is for people; use `save_model`',
};

/** Both forms begin with {: JSON continues with a key or white space, UBJSON with the marker of a length. */
function decode(bytes: Uint8Array): unknown {
  const start = String.fromCharCode(...bytes.subarray(0, 4));
  const other = Object.keys(OTHER_FORMS).find((beginning) => start.startsWith(beginning));
  if (other) throw unsupported(OTHER_FORMS[other], ROOT);
  if (/^\{[^\s"}]/.test(start)) return decodeUbjson(bytes);
  try {
    return parseLibraryJson(new TextDecoder().decode(bytes), ROOT);
  } catch (error) {
    throw new ElsewiseError('bad-document', `is neither JSON nor UBJSON: ${(error as ElsewiseError).detail}`, ROOT);
  }
}

function forestOf({ gradient_booster: booster }: Learner): Forest {
  const forest = booster.name === 'dart' ? booster.gbtree.model : booster.model;
  checkLength(forest.tree_info, forest.trees.length, 'tree_info', 'trees');
  if (booster.name === 'dart') checkLength(booster.weight_drop, forest.trees.length, 'weight_drop', 'trees');
  return forest;
}

const weightOf = ({ gradient_booster: booster }: Learner, t: number) =>
  booster.name === 'dart' ? booster.weight_drop[t] : 1;

function checkTargets(learner: Learner): void {
  const targets = Number(learner.learner_model_param.num_target);
  if (targets > 1) throw unsupported(`models of ${targets} targets`, `${ROOT}.learner.learner_model_param.num_target`);
}

const fileError = (key: string, message: string) => new ElsewiseError('bad-document', message, `${ROOT}.${key}`);

function checkLength(list: readonly unknown[], length: number, key: string, what: string): void {
  if (list.length !== length) throw fileError(key, `${list.length} entries for ${length} ${what}`);
}

function usedTrees(forest: Forest, best: string | number | undefined, classCount: number): number {
  const all = forest.trees.length;
  if (best === undefined) return all;
  const iteration = Number(best) + 1;
  const perIteration = Number(forest.gbtree_model_param.num_parallel_tree) * classCount;
  return Math.min(all, forest.iteration_indptr?.[iteration] ?? iteration * perIteration);
}

function readBase({ learner_model_param: { base_score, num_class } }: Learner, toMargin: (score: number) => number) {
  const key = 'learner.learner_model_param.base_score';
  const scores = String(base_score)
    .replace(/^\[|\]$/g, '')
    .split(',')
    .map(Number);
  const base = scores.map((score) => toMargin(round(score)));
  if (!base.every(Number.isFinite)) throw fileError(key, `"${base_score}" gives no margin`);
  if (base.length === 1) return base[0];
  checkLength(base, Number(num_class), key, 'classes');
  return base;
}

function toTree(tree: XgboostTree, weight: number, t: number): TreeDocument {
  checkTree(tree, t);
  const sets = categorySets(tree);
  const lost = tree.split_conditions.findIndex((value, n) => Number.isNaN(value) && !sets.has(n));
  if (lost >= 0) throw fileError(`trees[${t}].split_conditions[${lost}]`, 'expected a finite number');
  const { left_children: left, right_children: right, split_conditions: conditions } = tree;
  const isLeaf = left.map((child) => child < 0);
  const swapped = left.map((_, n) => sets.has(n));
  return {
    feature: tree.split_indices.map((feature, n) => (isLeaf[n] ? 0 : feature)),
    threshold: conditions.map((condition, n) => (isLeaf[n] || swapped[n] ? 0 : round(condition))),
    left: left.map((child, n) => (swapped[n] ? right[n] : child)),
    right: right.map((child, n) => (swapped[n] ? left[n] : child)),
    value: conditions.map((condition, n) => [isLeaf[n] ? round(round(condition) * round(weight)) : 0]),
    comparison: '<',
    precision: 'float32',
    missing: tree.default_left.map((isLeft, n) => (Boolean(isLeft) !== swapped[n] ? 'left' : 'right')),
    ...(sets.size ? { categories: left.map((_, n) => sets.get(n) ?? null) } : {}),
  };
}

function checkTree(tree: XgboostTree, t: number): void {
  const outputs = Number(tree.tree_param.size_leaf_vector);
  if (outputs > 1) throw unsupported(`leaves of ${outputs} outputs`, `${ROOT}.trees[${t}].tree_param.size_leaf_vector`);
  const size = tree.left_children.length;
  for (const key of ['right_children', 'split_indices', 'split_conditions', 'default_left'] as const)
    checkLength(tree[key], size, `trees[${t}].${key}`, 'nodes');
  for (const key of ['categories_segments', 'categories_sizes'] as const)
    checkLength(tree[key], tree.categories_nodes.length, `trees[${t}].${key}`, 'nodes with categories');
}

/** By node: the codes that go right in XGBoost. */
function categorySets(tree: XgboostTree): Map<number, number[]> {
  const { categories, categories_nodes: nodes, categories_segments: starts, categories_sizes: sizes } = tree;
  return new Map(nodes.map((node, i) => [node, categories.slice(starts[i], starts[i] + sizes[i])]));
}

/** `feature_types` -> the type of a feature without set splits. */
const FEATURE_TYPES: Readonly<Record<string, 'integer' | 'boolean'>> = { c: 'integer', int: 'integer', i: 'boolean' };

/** A feature is categorical if a tree has a set split on it, or if the file names its categories: `c` alone does not name them. */
function toFeatures(learner: Learner, forest: Forest, trees: readonly TreeDocument[]): FeatureDocument[] {
  const { feature_names: names, feature_types: types } = learner;
  const codes = lastCodes(trees);
  return Array.from({ length: Number(learner.learner_model_param.num_feature) }, (_, f) => {
    const name = names[f] ?? `f${f}`;
    const categories = readNames(forest.cats.enc[f]);
    const last = codes.get(f) ?? categories.length - 1;
    if (last >= 0) return categoricalFeature(name, last, `${ROOT}.learner.feature_types[${f}]`, categories);
    return { name, type: FEATURE_TYPES[types[f]] ?? 'continuous' };
  });
}

/** XGBoost counts letters and stores bytes: beyond ASCII its lists are cut, and the codes stay without names. */
function readNames(encoding: z.output<typeof namesForm> | undefined): (string | number)[] {
  const { offsets, values } = encoding ?? { offsets: [], values: [] };
  if (!offsets) return values;
  if (values.some((byte) => byte < 0 || byte > 127)) return [];
  return offsets.slice(1).map((end, k) => String.fromCharCode(...values.slice(offsets[k], end)));
}
