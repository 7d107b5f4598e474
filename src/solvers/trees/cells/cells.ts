/**
 * Cells: the sets of values that trees can tell apart. The thresholds of a numeric feature cut the feature into cells 0..T. A category
 * is a cell of its own, and a number that a split lists in a set is one too. Inside a cell every tree gives the same leaf. A row is a
 * vector of cells. A box is an interval of cells per numeric feature and a set of cells per category.
 *
 *   split of a numeric feature: left <=> cell <= cut          split of a category: left <=> its cell is in the split's set
 *
 * For one person each cell has one best value: the value of the cell and of the person's domain that is nearest to the present value.
 * The best value gives the cost of the cell. An empty cell costs Infinity. The ends of a cell are exact: the last double of one side of a
 * threshold, in the precision of the library, and the next double. An answer may be that next double, and no other is nearer.
 *
 * Every feature has one more cell after the others: "missing". A missing value stays missing, and a present value never becomes missing.
 * Each split sends the missing cell to one side.
 */
import { nextDown, nextUp } from '../../../linalg/floats.js';
import type { Feature } from '../../../models/features.js';
import type { TreesAtom } from '../../../models/region.js';
import { categoriesOf } from '../../../models/trees/category-sets.js';
import { goesLeft, lastLeft, MISSING_LEFT } from '../../../models/trees/tree.js';
import { changeCost } from '../../../policy/cost.js';
import type { Domain } from '../../../policy/domain.js';
import { isOpen, leaveSet } from '../../../policy/listed-values.js';
import { narrowTo, nearestWithin } from '../../../policy/values.js';
import type { Problem } from '../../../problems/problem.js';

/** Costs that are sums over features: each cell then has a cost of its own. */
const SEPARABLE = new Set(['l0', 'l1', 'l2', 'percentile']);

/** Whether a problem can be expressed in cells. Trees behind a step that mixes columns have no boxes in the columns. */
export function hasCells(problem: Problem): boolean {
  const atom = soleTrees(problem);
  return atom !== null && !atom.map && SEPARABLE.has(problem.traits.norm);
}

/** The trees of a problem whose only condition on the model is one trees atom. Null: the problem has other conditions, or no trees. */
export function soleTrees({ piece: { rows, atoms } }: Problem): TreesAtom | null {
  return rows.length === 0 && atoms.length === 1 && atoms[0].kind === 'trees' ? atoms[0] : null;
}

/** The same for a problem that was accepted. */
export function treesOf(problem: Problem): TreesAtom {
  const atom = soleTrees(problem);
  if (!atom) throw new TypeError('the problem is not made of trees');
  return atom;
}

export interface FeatureCells {
  readonly feature: Feature;
  /** The cells form a set without an order. */
  readonly unordered: boolean;
  /** The number of cells without the cell "missing", which has this number as its index. */
  readonly count: number;
  /** By cut: the last double below it, ascending, and the first double above it. Empty where the cells form a set. */
  readonly ends: Float64Array;
  readonly starts: Float64Array;
}

/** Whether cells are categories: the number of a cell is then its value. */
const isListedCells = ({ unordered, ends }: FeatureCells): boolean => unordered && !ends.length;

/** The cell of a value; -1 for a missing value and for an unknown category. */
export function cellOf(layout: FeatureCells, value: number): number {
  if (Number.isNaN(value)) return -1;
  if (!isListedCells(layout)) return numberCell(layout, value);
  return Number.isInteger(value) && value >= 0 && value < layout.count ? value : -1;
}

function numberCell({ ends }: FeatureCells, value: number): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value > ends[middle]) low = middle + 1;
    else high = middle;
  }
  return low;
}

export class Cells {
  readonly features: readonly FeatureCells[];
  /** By node: the feature of its split; -1 at leaves and at splits that decide nothing. */
  readonly feature: Int32Array;
  /** By node, numeric: left <=> cell <= cut. */
  readonly cut: Int32Array;
  /** By node, unordered: the cells that go left, with "missing" as the last entry. */
  readonly sets: readonly (Uint8Array | null)[];
  /** By node: whether a missing value goes left. */
  readonly missingLeft: Uint8Array;
  readonly parent: Int32Array;

  constructor(
    readonly problem: Problem,
    readonly atom: TreesAtom,
  ) {
    const { forest } = atom;
    const nodes = forest.feature.length;
    this.feature = new Int32Array(nodes).fill(-1);
    this.cut = new Int32Array(nodes).fill(-1);
    this.parent = new Int32Array(nodes).fill(-1);
    this.missingLeft = forest.missing.map((way) => +(way === MISSING_LEFT));
    const sets: (Uint8Array | null)[] = Array(nodes).fill(null);
    const nodesOf = problem.space.features.map((): number[] => []);
    for (let n = 0; n < nodes; n++) {
      if (forest.left[n] < 0) continue;
      this.parent[forest.left[n]] = this.parent[forest.right[n]] = n;
      nodesOf[problem.space.owner[forest.feature[n]]].push(n);
    }
    this.features = problem.space.features.map((feature) => this.layOut(feature, nodesOf[feature.index], sets));
    this.sets = sets;
  }

  private layOut(feature: Feature, nodes: readonly number[], sets: (Uint8Array | null)[]): FeatureCells {
    const { forest } = this.atom;
    const unordered = feature.kind === 'choice' || nodes.some((n) => forest.set[n] >= 0);
    if (!unordered) return this.layOutOrdered(feature, nodes);
    const layout = feature.categories.length ? listedCells(feature) : this.numberedCells(feature, nodes);
    for (const n of nodes) {
      this.feature[n] = feature.index;
      sets[n] = new Uint8Array(layout.count + 1);
      for (let cell = 0; cell < layout.count; cell++)
        sets[n][cell] = +goesLeft(forest, n, this.inputOf(n, layout, cell));
      sets[n][layout.count] = this.missingLeft[n];
    }
    return layout;
  }

  /** The cells of a number that some split lists in a set: each listed number has its own cell. */
  private numberedCells(feature: Feature, nodes: readonly number[]): FeatureCells {
    const { forest } = this.atom;
    const cuts = nodes.flatMap((n) =>
      forest.set[n] < 0
        ? [lastLeft(forest, n)]
        : [...categoriesOf(forest, forest.set[n])].flatMap((code) => [nextDown(code), code]),
    );
    return { feature, unordered: true, ...cutsAt(Float64Array.from(cuts)) };
  }

  /** The input of a split of an unordered feature for a cell. */
  private inputOf(node: number, { feature, ends, starts }: FeatureCells, cell: number): number {
    if (feature.kind === 'choice') return +(this.atom.forest.feature[node] === feature.column + cell);
    if (!ends.length) return cell;
    return cell === 0 ? ends[0] : starts[cell - 1];
  }

  private layOutOrdered(feature: Feature, nodes: readonly number[]): FeatureCells {
    const ofNodes = Float64Array.from(nodes, (n) => lastLeft(this.atom.forest, n));
    const layout = { feature, unordered: false, ...cutsAt(ofNodes) };
    for (const [k, n] of nodes.entries()) {
      this.feature[n] = feature.index;
      this.cut[n] = numberCell(layout, ofNodes[k]);
    }
    return layout;
  }
}

const NO_CUTS = new Float64Array(0);

/** Each category is a cell. */
const listedCells = (feature: Feature): FeatureCells => ({
  feature,
  unordered: true,
  count: feature.categories.length,
  ends: NO_CUTS,
  starts: NO_CUTS,
});

function cutsAt(cuts: Float64Array): Pick<FeatureCells, 'count' | 'ends' | 'starts'> {
  const ends = cuts.slice().sort().filter(isNew);
  return { count: ends.length + 1, ends, starts: ends.map(nextUp) };
}

const isNew = (end: number, k: number, all: Float64Array): boolean => k === 0 || all[k - 1] < end;

/** The cells of one person. */
export class PersonCells {
  /** By feature: the present cell. */
  readonly present: Int32Array;
  /** By feature and cell: Infinity where the person cannot go. */
  readonly cost: Float64Array[];
  readonly value: Float64Array[];

  constructor(private readonly cells: Cells) {
    this.present = new Int32Array(cells.features.length);
    this.cost = cells.features.map(({ count }) => new Float64Array(count + 1));
    this.value = cells.features.map(({ count }) => new Float64Array(count + 1));
  }

  /**
   * False: some feature has no present cell because it is a mixture of categories. The cells then do not cover all points of the person.
   */
  fill(domain: Domain): boolean {
    let whole = true;
    for (const layout of this.cells.features) {
      const { column, index } = layout.feature;
      this.cost[index][layout.count] = Infinity;
      if (Number.isNaN(domain.origin[column])) this.fillMissing(layout);
      else whole = this.fillKnown(layout, domain) && whole;
    }
    return whole;
  }

  private fillMissing({ feature: { index }, count }: FeatureCells): void {
    this.present[index] = count;
    this.cost[index].fill(Infinity);
    this.cost[index][count] = 0;
    this.value[index][count] = Number.NaN;
  }

  private fillKnown(layout: FeatureCells, domain: Domain): boolean {
    const { feature, count } = layout;
    const { index, column, kind } = feature;
    const present = presentCell(layout, domain.origin);
    const from = kind === 'choice' ? present : domain.origin[column];
    this.present[index] = Math.max(0, present);
    for (let cell = 0; cell < count; cell++) {
      const value = valueIn(layout, cell, domain);
      this.value[index][cell] = value;
      this.cost[index][cell] = Number.isNaN(value)
        ? Infinity
        : changeCost(this.cells.problem.cost, feature, from, value);
    }
    return present >= 0;
  }

  /** Cells -> columns. */
  toColumns(at: ArrayLike<number>, domain: Domain, x: Float64Array): void {
    x.set(domain.origin);
    for (const { feature } of this.cells.features) {
      const value = this.value[feature.index][at[feature.index]];
      if (feature.kind !== 'choice') x[feature.column] = value;
      else if (!Number.isNaN(value)) for (let k = 0; k < feature.width; k++) x[feature.column + k] = +(k === value);
    }
  }
}

/** The cell of the present value; -1: none. */
export function presentCell(layout: FeatureCells, origin: Float64Array): number {
  const { kind, column } = layout.feature;
  if (kind !== 'choice') return cellOf(layout, origin[column]);
  for (let cell = 0; cell < layout.count; cell++) if (origin[column + cell] === 1) return cell;
  return -1;
}

/** The value of a cell nearest to the present value; NaN: the domain has no value in the cell. */
export function valueIn(layout: FeatureCells, cell: number, domain: Domain): number {
  const { feature, ends, starts, count } = layout;
  if (isListedCells(layout)) return isOpen(domain, feature, cell) ? cell : Number.NaN;
  const low = cell === 0 ? Number.NEGATIVE_INFINITY : starts[cell - 1];
  return nearestWithin(domain, feature, low, cell === count - 1 ? Infinity : ends[cell]);
}

/** Restricts a domain to the cells of a set. False: the domain still contains numbers between two of these cells. */
export function closeCells(layout: FeatureCells, set: Uint8Array, domain: Domain): boolean {
  const { feature, ends, starts, count } = layout;
  if (!isListedCells(layout)) {
    const [first, last] = [set.indexOf(1), set.lastIndexOf(1)];
    const low = first <= 0 ? Number.NEGATIVE_INFINITY : starts[first - 1];
    narrowTo(domain, feature, low, last === count - 1 ? Infinity : (ends[last] ?? Number.NEGATIVE_INFINITY));
    return !set.subarray(first, last).includes(0);
  }
  leaveSet(domain, feature, set);
  return true;
}
