/**
 * The boosters gbtree and dart -> a `tree-ensemble`.
 *
 *   sum         float32, from the margin of the base score, in tree order; tree_info[t] is the class or the target that tree t adds to;
 *               where a version adds the base last, the base is a last tree of one leaf for each class
 *   dart        a tree adds its leaf times weight_drop[t], rounded
 *   iterations  trees up to best_iteration count, as in predictions of the scikit-learn interface; iteration i ends before
 *               tree iteration_indptr[i + 1], in older files (i + 1) * num_parallel_tree * classes or targets. Files without
 *               num_parallel_tree name the number of trees for a class: best_ntree_limit
 */
import type { ModelDocument } from '../../documents/model-document.js';
import type { TreeDocument } from '../../documents/tree-document.js';
import type { ImportChoices } from '../choices.js';
import { toDocument } from '../ensemble.js';
import { featuresOf } from './xgboost-features.js';
import {
  checkLength,
  fileError,
  ROOT,
  type XgboostForest,
  type XgboostLearner,
  type XgboostTrees,
} from './xgboost-file.js';
import { objectiveOf } from './xgboost-objectives.js';
import { keptBase, outputsOf, type XgboostOutputs } from './xgboost-outputs.js';
import { leafWidth, toTree } from './xgboost-trees.js';
import { addsBaseLast } from './xgboost-version.js';

const round = Math.fround;

export function importForest(learner: XgboostLearner, forest: XgboostForest, choices: ImportChoices): ModelDocument {
  const { task, link } = objectiveOf(learner.objective.name);
  const outputs = outputsOf(learner, choices);
  const used = usedTrees(forest, learner.attributes, outputs.count);
  const isKept = (t: number) => outputs.kept === null || isVector(forest, t) || forest.tree_info[t] === outputs.kept;
  const kept = Array.from({ length: used }, (_, t) => t).filter(isKept);
  for (const t of kept) checkOutputs(forest, t, outputs.count);
  const trees = kept.map((t) => toTree(forest.trees[t], t, leafChange(learner, forest, t, outputs.kept)));
  const treeClass = kept.some((t) => isVector(forest, t)) ? null : kept.map((t) => forest.tree_info[t]);
  const last = addsBaseLast(learner.version, learner.gradient_booster.name) && treeClass ? baseTrees(outputs) : [];
  return toDocument({
    name: ROOT,
    features: featuresOf(learner, trees, forest.cats.enc),
    objective: { task, link },
    classCount: outputs.count,
    trees: [...trees, ...last],
    treeClass: treeClass && [...treeClass, ...last.keys()],
    base: last.length ? 0 : keptBase(outputs),
    accumulate: 'float32',
  });
}

/** A tree of one leaf for each kept output: its base. */
function baseTrees(outputs: XgboostOutputs): TreeDocument[] {
  return [keptBase(outputs)].flat().map((base) => ({
    feature: [0],
    threshold: [0],
    left: [-1],
    right: [-1],
    value: [[base]],
    comparison: '<',
    precision: 'float32',
    missing: ['right'],
  }));
}

const isVector = ({ trees }: XgboostForest, t: number): boolean => leafWidth(trees[t]) > 1;

function checkOutputs(forest: XgboostForest, t: number, count: number): void {
  const width = leafWidth(forest.trees[t]);
  if (width > 1 && width !== count)
    throw fileError(`trees[${t}].tree_param.size_leaf_vector`, `leaves of ${width} numbers for ${count} outputs`);
  if (!(forest.tree_info[t] >= 0 && forest.tree_info[t] < count))
    throw fileError(`tree_info[${t}]`, `there is no output ${forest.tree_info[t]}`);
}

/** What a tree adds, from the numbers of one of its leaves. */
function leafChange(learner: XgboostLearner, forest: XgboostForest, t: number, kept: number | null) {
  const { gradient_booster: booster } = learner;
  const weight = booster.name === 'dart' ? round(booster.weight_drop[t]) : 1;
  const isOne = kept !== null && isVector(forest, t);
  return (leaf: number[]) => (isOne ? [leaf[kept]] : leaf).map((value) => round(value * weight));
}

export function forestOf(booster: XgboostTrees): XgboostForest {
  const forest = booster.name === 'dart' ? booster.gbtree.model : booster.model;
  checkLength(forest.tree_info, forest.trees.length, 'tree_info', 'trees');
  if (booster.name === 'dart') checkLength(booster.weight_drop, forest.trees.length, 'weight_drop', 'trees');
  return forest;
}

function usedTrees(forest: XgboostForest, attributes: XgboostLearner['attributes'], outputs: number): number {
  const { best_iteration: best, best_ntree_limit: limit } = attributes;
  const all = forest.trees.length;
  if (best === undefined) return all;
  const { num_parallel_tree: parallel } = forest.gbtree_model_param;
  const iteration = Number(best) + 1;
  const treesOfClass = parallel === undefined && limit !== undefined ? Number(limit) : iteration * (parallel ?? 1);
  const used = forest.iteration_indptr?.[iteration] ?? treesOfClass * outputs;
  if (Number.isInteger(used) && used >= 0) return Math.min(all, used);
  throw fileError('learner.attributes.best_iteration', `expected the number of an iteration, got "${best}"`);
}
