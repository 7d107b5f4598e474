/**
 * Trees of PMML as a `decision-tree` or a `tree-ensemble`. Where only rows with missing values have no result in some tree, all trees are
 * grown without missing values, and the document takes none.
 */
import { NodeBudget } from '../../tree-growth.js';
import type { DocumentPart, ModelContext } from '../model-context.js';
import type { XmlElement } from '../xml/xml-element.js';
import { type GrownTree, NothingForMissing } from './grown-tree.js';
import { writeTrees } from './tree-documents.js';
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
  const { features, trees } = growAll([seed], model, context);
  const task = context.classes ? 'classification' : 'regression';
  return { family: 'decision-tree', features, ...classNames(context), parameters: { tree: trees[0], task } };
}

export function writeForest(plan: ForestPlan, model: XmlElement, context: ModelContext): DocumentPart {
  const { features, trees } = growAll(plan.seeds, model, context);
  const parameters = { trees, aggregation: plan.aggregation, ...plan.parameters };
  return { family: 'tree-ensemble', features, ...classNames(context), parameters };
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

function growAll(seeds: readonly Seed[], model: XmlElement, { choices, features }: ModelContext) {
  const grow = (takesMissing: boolean) => {
    const budget = new NodeBudget(choices, model.path);
    return writeTrees(
      seeds.map((seed) => seed(takesMissing, budget)),
      features,
      takesMissing,
    );
  };
  try {
    return grow(true);
  } catch (error) {
    if (!(error instanceof NothingForMissing)) throw error;
    return grow(false);
  }
}
