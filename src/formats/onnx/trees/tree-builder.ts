/**
 * Trees of an operator -> trees of a document, over the columns of the row.
 *
 *   all      an output for each target
 *   one      the sum of one target
 *   shares   [-v, v] at each leaf, and 1 for the first at the end: 1 - s, s
 *
 * onnxruntime adds up the trees in order and the base values last: the base is a last tree of one leaf.
 */
import type { TreeDocument } from '../../../documents/tree-document.js';
import type { ImportChoices } from '../../choices.js';
import { NodeBudget, TreeGrowth } from '../../tree-growth.js';
import { isSingle, type OnnxColumn } from '../columns.js';
import type { OnnxTrees } from '../values.js';
import { type LeafWeights, leafAt, type SplitNode } from './split-forest.js';
import { areCodes, type CutTest, isEquality, type SetTest, type SplitTest, splitTest } from './split-test.js';

/** A list of codes with more entries is no list of categories. */
const MOST_CODES = 100_000;

type LeafValue = (weights: LeafWeights) => number[];

const FORMS: Readonly<Record<OnnxTrees['form'], (model: OnnxTrees) => LeafValue>> = {
  all:
    ({ outputs }) =>
    (weights) =>
      Array.from({ length: outputs }, (_, k) => weights.get(k) ?? 0),
  one:
    ({ target }) =>
    (weights) => [weights.get(target) ?? 0],
  shares:
    ({ target }) =>
    (weights) => [-(weights.get(target) ?? 0), weights.get(target) ?? 0],
};

/** By input column: the largest code that a node names. Only a column that every node compares with codes by = is made of codes. */
export function codesOf({ forest, columns }: OnnxTrees): Map<number, number> {
  const last = new Map<number, number>();
  const others = new Set<number>();
  for (const split of forest.nodes) {
    const column = columns.columns[split.column];
    const { place } = column.input;
    if (isEquality(split) && areCodes(column, split.values, MOST_CODES))
      last.set(
        place,
        split.values.reduce((most, value) => Math.max(most, value), last.get(place) ?? 0),
      );
    else others.add(place);
  }
  for (const place of others) last.delete(place);
  return last;
}

/** `kept`: the output of a regressor with several. */
export function buildTrees(model: OnnxTrees, kept: number | null, choices: ImportChoices): TreeDocument[] {
  const { forest, node } = model;
  const budget = new NodeBudget(choices, node.node.path);
  const all = FORMS[model.form](model);
  const chosen = (values: number[]): number[] => (kept === null ? values : [values[kept]]);
  const builder = new Builder(model, budget, (weights) => chosen(all(weights)));
  const trees = forest.roots.map((root) => builder.build(root));
  const last = lastLeaves(model).map(chosen);
  return [...trees, ...last.map((value) => builder.stump(value))];
}

/** What comes after the trees. A mean takes its base otherwise. */
function lastLeaves({ form, base, isMean }: OnnxTrees): number[][] {
  if (isMean) return [];
  const leaves = base.some((value) => value !== 0) ? [form === 'shares' ? [-base[0], base[0]] : [...base]] : [];
  return form === 'shares' ? [...leaves, [1, 0]] : leaves;
}

class Builder {
  private readonly columns: readonly OnnxColumn[];
  private readonly codes: ReadonlyMap<number, number>;
  private readonly isSingle: boolean;
  private readonly tests = new Map<SplitNode, SplitTest>();
  private growth!: TreeGrowth;
  private takesMissing = true;

  constructor(
    private readonly model: OnnxTrees,
    private readonly budget: NodeBudget,
    private readonly leafValue: LeafValue,
  ) {
    this.columns = model.columns.columns;
    this.codes = codesOf(model);
    const read = new Set(model.forest.nodes.map(({ column }) => this.columns[column]));
    this.isSingle = [...read].every(
      (column) => column.kind === 'table' || (column.kind === 'number' && isSingle(column)),
    );
  }

  build(root: number): TreeDocument {
    this.takesMissing = true;
    this.growth = new TreeGrowth(this.leafValue(new Map()).length, this.budget);
    this.grow(root);
    return this.finish();
  }

  stump(value: number[]): TreeDocument {
    this.growth = new TreeGrowth(value.length, this.budget);
    this.growth.leaf(value);
    return this.finish();
  }

  private finish(): TreeDocument {
    const tree = this.growth.finish(this.isSingle ? 'float32' : 'float64');
    return this.takesMissing ? tree : { ...tree, missing: 'error' };
  }

  private grow(child: number): number {
    const { forest } = this.model;
    if (child < 0) return this.growth.leaf(this.leafValue(forest.leaves[leafAt(child)]));
    const split = forest.nodes[child];
    const test = this.testOf(split);
    const { place } = this.columns[split.column].input;
    const isTrue = () => this.grow(split.whenTrue);
    const isFalse = () => this.grow(split.whenFalse);
    if (test.kind === 'set') return this.askSet(place, test, isTrue, isFalse);
    return this.askCuts(place, withMissing(test), isTrue, isFalse);
  }

  private testOf(split: SplitNode): SplitTest {
    const known = this.tests.get(split);
    if (known) return known;
    const column = this.columns[split.column];
    const test = splitTest(split, column, this.codes.has(column.input.place), this.isSingle, this.model.node);
    this.tests.set(split, test);
    return test;
  }

  private askSet(place: number, test: SetTest, isTrue: () => number, isFalse: () => number): number {
    const { codes, isOthers, isAll, isMissingTrue } = test;
    if (isMissingTrue === null) this.takesMissing = false;
    const missing = isMissingTrue ?? isAll;
    if (isAll && missing) return isTrue();
    if (!codes.length && !missing) return isFalse();
    if (isOthers) return this.growth.askSet(place, [...codes], isFalse, isTrue, !missing);
    return this.growth.askSet(place, [...codes], isTrue, isFalse, missing);
  }

  /** A row beyond all ends so far is asked about the next interval. */
  private askCuts(place: number, test: CutTest, isTrue: () => number, isFalse: () => number, k = 0): number {
    const { intervals, isMissingTrue } = test;
    if (k === intervals.length) return isFalse();
    const [low, high] = intervals[k];
    const question = (threshold: number, isMissingLeft: boolean) => ({ input: place, threshold, isMissingLeft });
    const within = () => {
      if (high === Infinity) return isTrue();
      const beyond = () => this.askCuts(place, test, isTrue, isFalse, k + 1);
      return this.growth.ask(question(high, isMissingTrue), isTrue, beyond);
    };
    return low === -Infinity ? within() : this.growth.ask(question(low, !isMissingTrue), isFalse, within);
  }
}

/** The largest number of 32 bits: a split that only a missing value decides. */
const LARGEST = 3.4028234663852886e38;

/** A side that no number takes, but a missing value does, needs an end. */
function withMissing(test: CutTest): CutTest {
  const { intervals, isMissingTrue } = test;
  if (!intervals.length && isMissingTrue) return { ...test, intervals: [[LARGEST, Infinity]] };
  const isEverything = intervals.length === 1 && intervals[0][0] === -Infinity && intervals[0][1] === Infinity;
  return isEverything && !isMissingTrue ? { ...test, intervals: [[-Infinity, LARGEST]] } : test;
}
