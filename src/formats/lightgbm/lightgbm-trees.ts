/**
 * Trees of LightGBM -> trees of a document. Leaves keep their numbers: leaf k is node (number of splits) + k, unless a split takes more than
 * one comparison.
 *
 *   split      value <= threshold in float64: lightgbm-splits.ts
 *   set split  a code in the set goes left; NaN and negative values go right, whatever the missing type
 */
import { ElsewiseError } from '../../documents/error.js';
import type { TreeDocument } from '../../documents/tree-document.js';
import { type NodeBudget, TreeGrowth } from '../tree-growth.js';
import type { LightgbmTree, Split } from './lightgbm-model.js';
import { comparisonOf, holeOf } from './lightgbm-splits.js';

type Scale = (value: number) => number;

export function toTree(tree: LightgbmTree, scale: Scale, budget: NodeBudget, path: string): TreeDocument {
  const isPlain = tree.splits.every((split) => split.codes || comparisonOf(split));
  if (!isPlain) return grow(tree, scale, budget, path);
  budget.spend(tree.splits.length + tree.leaves.length);
  return copy(tree, scale);
}

const SET = { threshold: 0, isMissingLeft: false };

function copy({ splits, leaves }: LightgbmTree, scale: Scale): TreeDocument {
  const nodes = splits.map((split) => (split.codes ? SET : comparisonOf(split)!));
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
    missing: [...nodes.map(({ isMissingLeft }) => side(isMissingLeft)), ...pad('right' as const)],
    ...(hasSets ? { categories: [...splits.map(({ codes }) => codes), ...pad(null)] } : {}),
  };
}

const side = (isLeft: boolean) => (isLeft ? 'left' : 'right');

/** A tree with holes at 0. Splits lead to splits of higher numbers: a file cannot lead in a circle. */
function grow({ splits, leaves }: LightgbmTree, scale: Scale, budget: NodeBudget, path: string): TreeDocument {
  const growth = new TreeGrowth(1, budget);
  const node = (index: number, above: number): number => {
    if (index < 0 ? ~index >= leaves.length : index <= above || index >= splits.length)
      throw new ElsewiseError('bad-document', `there is no node ${index} below node ${above}`, `${path}.splits`);
    if (index < 0) return growth.leaf([scale(leaves[~index])]);
    const { left, right } = splits[index];
    return ask(
      growth,
      splits[index],
      () => node(left, index),
      () => node(right, index),
    );
  };
  node(0, -1);
  return growth.finish('float64');
}

function ask(growth: TreeGrowth, split: Split, left: () => number, right: () => number): number {
  const input = split.feature;
  if (split.codes) return growth.askSet(input, split.codes, left, right);
  const comparison = comparisonOf(split);
  if (comparison) return growth.ask({ input, ...comparison }, left, right);
  const [first, below, within] = holeOf(split).map((question) => ({ input, ...question }));
  const [zero, other] = split.isDefaultLeft ? [left, right] : [right, left];
  const around = () => growth.ask(below, other, () => growth.ask(within, zero, other));
  return split.isDefaultLeft ? growth.ask(first, zero, around) : growth.ask(first, around, zero);
}
