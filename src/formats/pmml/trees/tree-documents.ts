/**
 * Grown trees as trees of a document, and the columns that they read. A feature of categories has a column for each category, unless a
 * question asks for several categories at once: the feature then has one column of ranks, which trees split by sets.
 *
 *   x < start    written in the words of the file where they fit: x < value, or x <= value
 */
import type { FeatureDocument } from '../../../documents/model-document.js';
import type { TreeDocument } from '../../../documents/tree-document.js';
import { nextDown, nextDownSingle, nextUpSingle } from '../../../linalg/floats.js';
import { widthOf } from '../../one-hot-words.js';
import type { Cut } from '../fields/expression.js';
import type { GrownTree } from './grown-tree.js';

type Split = Extract<GrownTree, { kind: 'split' }>;

export interface WrittenTrees {
  readonly features: FeatureDocument[];
  readonly trees: TreeDocument[];
}

export function writeTrees(
  grown: readonly GrownTree[],
  features: readonly FeatureDocument[],
  takesMissing: boolean,
): WrittenTrees {
  const ranked = new Set(
    grown.flatMap((tree) =>
      splitsOf(tree)
        .filter(asksForSet)
        .map(({ atom }) => atom.source.index),
    ),
  );
  const encoded = features.map((feature, f) =>
    feature.type === 'categorical' && ranked.has(f) ? ({ ...feature, encoding: 'ordinal' } as const) : feature,
  );
  const columns = encoded.map((_, f) => encoded.slice(0, f).reduce((sum, feature) => sum + columnsOf(feature), 0));
  return {
    features: encoded,
    trees: grown.map((tree) => new TreeWriter(encoded, columns, splitsOf(tree)).write(tree, takesMissing)),
  };
}

/** How many columns a feature has. */
export const columnsOf = (feature: FeatureDocument): number => (feature.type === 'categorical' ? widthOf(feature) : 1);

export function splitsOf(tree: GrownTree): Split[] {
  const splits: Split[] = [];
  const open = [tree];
  for (let next = open.pop(); next; next = open.pop()) {
    if (next.kind === 'leaf') continue;
    splits.push(next);
    open.push(next.left, next.right);
  }
  return splits;
}

const asksForSet = ({ question, rest }: Split): boolean =>
  question.kind === 'set' && question.codes.length > 1 && rest.length > 1;

class TreeWriter {
  private readonly feature: number[] = [];
  private readonly threshold: number[] = [];
  private readonly left: number[] = [];
  private readonly right: number[] = [];
  private readonly value: number[][] = [];
  private readonly missing: ('left' | 'right')[] = [];
  private readonly categories: (number[] | null)[] = [];
  private readonly isThrough: boolean;
  private readonly isSingle: boolean;

  constructor(
    private readonly features: readonly FeatureDocument[],
    private readonly columns: readonly number[],
    splits: readonly Split[],
  ) {
    const cuts = splits.flatMap(({ question }) => (question.kind === 'cut' ? question.cut : []));
    const through = cuts.filter(({ isThrough }) => isThrough).length;
    this.isThrough = !cuts.length || through > cuts.length / 2;
    this.isSingle = cuts.length > 0 && cuts.every(({ isSingle }) => isSingle);
  }

  write(tree: GrownTree, takesMissing: boolean): TreeDocument {
    this.add(tree);
    const { feature, threshold, left, right, value, missing, categories } = this;
    const sets = categories.some((codes) => codes) ? { categories } : {};
    return {
      feature,
      threshold,
      left,
      right,
      value,
      comparison: this.isThrough ? '<=' : '<',
      precision: this.isSingle ? 'float32' : 'float64',
      missing: takesMissing ? missing : 'error',
      ...sets,
    };
  }

  private add(tree: GrownTree): number {
    if (tree.kind === 'leaf') return this.push(0, 0, 'right', [...tree.value], null);
    const { column, threshold, codes, isSwapped } = this.testOf(tree);
    const [left, right] = isSwapped ? [tree.right, tree.left] : [tree.left, tree.right];
    const missing = isSwapped ? (tree.missing === 'left' ? 'right' : 'left') : tree.missing;
    const node = this.push(column, threshold, missing, [], codes);
    this.left[node] = this.add(left);
    this.right[node] = this.add(right);
    this.value[node] = this.value[this.left[node]].map(() => 0);
    return node;
  }

  private testOf({ atom: { source }, question, rest }: Split) {
    const column = this.columns[source.index];
    const plain = { column, codes: null, isSwapped: false };
    if (question.kind === 'presence') return { ...plain, threshold: Number.MAX_VALUE };
    if (question.kind === 'cut') return { ...plain, threshold: this.thresholdOf(question.cut) };
    const { codes } = question;
    const feature = this.features[source.index];
    if (feature.type === 'categorical' && feature.encoding === 'ordinal')
      return { ...plain, threshold: 0, codes: codes.toSorted((a, b) => a - b) };
    if (feature.type === 'boolean') return { ...plain, threshold: HALF, isSwapped: codes[0] === 1 };
    const isOne = codes.length === 1;
    return { ...plain, column: column + (isOne ? codes[0] : rest[0]), threshold: HALF, isSwapped: isOne };
  }

  private thresholdOf({ start, value, isThrough, isSingle, isWhole }: Cut): number {
    const isOwn = this.isThrough === isThrough;
    if (isOwn && this.isSingle === isSingle) return value;
    if (this.isSingle) return isThrough ? nextUpSingle(value) : nextDownSingle(value);
    return this.isThrough ? (isWhole ? start - 1 : nextDown(start)) : start;
  }

  private push(
    feature: number,
    threshold: number,
    missing: 'left' | 'right',
    value: number[],
    codes: number[] | null,
  ): number {
    this.feature.push(feature);
    this.threshold.push(threshold);
    this.left.push(-1);
    this.right.push(-1);
    this.value.push(value);
    this.missing.push(missing);
    return this.categories.push(codes) - 1;
  }
}

/** Between 0 and 1 of a column. */
const HALF = 0.5;
