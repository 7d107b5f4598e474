/**
 * Trees of PMML as a `decision-tree` or a `tree-ensemble`. Where only rows with missing values have no result in some tree, all trees are
 * grown without missing values, and the document takes none.
 */
import type { FeatureDocument, PreprocessingStep } from '../../../documents/model-document.js';
import type { TreeDocument } from '../../../documents/tree-document.js';
import { NodeBudget } from '../../tree-growth.js';
import type { Source } from '../fields/expression.js';
import type { DocumentPart, ModelContext } from '../model-context.js';
import type { XmlElement } from '../xml/xml-element.js';
import { type GrownTree, NothingForMissing } from './grown-tree.js';
import { columnsOf, splitsOf, writeTrees } from './tree-documents.js';
import type { Seed } from './tree-model.js';

/** A sum of trees: Σ factor x tree + constant. */
export interface ForestSum {
  readonly kind: 'forest';
  readonly trees: readonly { readonly seed: Seed; readonly factor: number }[];
  readonly constant: number;
  readonly isSingle: boolean;
}

export interface ForestPlan {
  readonly seeds: readonly Seed[];
  readonly aggregation: 'sum' | 'mean' | 'vote';
  readonly parameters?: Readonly<Record<string, unknown>>;
}

export function writeTree(seed: Seed, model: XmlElement, context: ModelContext): DocumentPart {
  const { features, trees, steps } = growAll([seed], model, context);
  const task = context.classes ? 'classification' : 'regression';
  return { family: 'decision-tree', features, ...steps, ...classNames(context), parameters: { tree: trees[0], task } };
}

export function writeForest(plan: ForestPlan, model: XmlElement, context: ModelContext): DocumentPart {
  const { features, trees, steps } = growAll(plan.seeds, model, context);
  const parameters = { trees, aggregation: plan.aggregation, ...plan.parameters };
  return { family: 'tree-ensemble', features, ...steps, ...classNames(context), parameters };
}

export const classNames = ({ classes }: ModelContext) => (classes ? { classes: [...classes.names] } : {});

/** By class, or for a regressor or the second of two classes alone: a sum of trees. */
export function writeSums(
  sums: readonly ForestSum[],
  link: 'identity' | 'logit' | 'softmax' | 'exp',
  model: XmlElement,
  context: ModelContext,
): DocumentPart {
  const single = sums.some(({ isSingle }) => isSingle);
  const owned = sums.flatMap(({ trees, constant }, k) => {
    const ends = single && constant !== 0 ? [{ seed: leafOf([Math.fround(constant)]), factor: 1 }] : [];
    return [...trees, ...ends].map(({ seed, factor }) => ({ seed: scaled(seed, factor, single), owner: k }));
  });
  const bases = single ? sums.map(() => 0) : sums.map(({ constant }) => constant);
  const several = sums.length > 1 ? { treeClass: owned.map(({ owner }) => owner), base: bases } : { base: bases[0] };
  const parameters = { link, ...several, accumulate: single ? 'float32' : 'float64' };
  return writeForest({ seeds: owned.map(({ seed }) => seed), aggregation: 'sum', parameters }, model, context);
}

const leafOf =
  (value: readonly number[]): Seed =>
  () => ({ kind: 'leaf', value });

function scaled(seed: Seed, factor: number, isSingle: boolean): Seed {
  if (factor === 1) return seed;
  const round = isSingle ? Math.fround : (value: number) => value;
  return (takesMissing, budget) => mapLeaves(seed(takesMissing, budget), (value) => round(round(factor) * value));
}

function mapLeaves(tree: GrownTree, change: (value: number) => number): GrownTree {
  if (tree.kind === 'leaf') return { kind: 'leaf', value: tree.value.map(change) };
  return { ...tree, left: mapLeaves(tree.left, change), right: mapLeaves(tree.right, change) };
}

interface GrownForest {
  readonly features: FeatureDocument[];
  readonly trees: readonly TreeDocument[];
  readonly steps: { readonly preprocessing?: PreprocessingStep[] };
}

/** With missing values, if every row with one has a result. Otherwise only values that count as others may be missing. */
function growAll(seeds: readonly Seed[], model: XmlElement, context: ModelContext): GrownForest {
  const grow = (takesMissing: boolean) => {
    const budget = new NodeBudget(context.choices, model.path);
    return seeds.map((seed) => seed(takesMissing, budget));
  };
  const complete = growComplete(grow);
  if (complete) return { ...writeTrees(complete, context.features, true), steps: {} };
  const written = writeTrees(grow(false), context.features, false);
  const values = imputed(context.sources, written.features);
  const hasFill = values.some((value) => value !== null);
  return { ...written, steps: hasFill ? { preprocessing: [{ type: 'impute', values }] } : {} };
}

/** Null: some rows with a missing value have no result, or are invalid. */
function growComplete(grow: (takesMissing: boolean) => GrownTree[]): GrownTree[] | null {
  try {
    const trees = grow(true);
    const isRequired = trees.some((tree) => splitsOf(tree).some(({ atom }) => atom.source.isRequired));
    return isRequired ? null : trees;
  } catch (error) {
    if (error instanceof NothingForMissing) return null;
    throw error;
  }
}

/** By column: what a missing value counts as. */
function imputed(sources: readonly Source[], features: readonly FeatureDocument[]): (number | null)[] {
  return sources.flatMap((source, f) => {
    const { fill } = source;
    if (source.kind === 'number') return typeof fill === 'number' ? fill : null;
    const code = fill === null ? -1 : source.values.indexOf(fill);
    const width = columnsOf(features[f]);
    if (width === 1) return code < 0 ? null : code;
    return Array.from({ length: width }, (_, k) => (code < 0 ? null : +(k === code)));
  });
}
