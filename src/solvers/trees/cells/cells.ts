/**
 * Cells: what trees can tell apart. The thresholds of a numeric feature cut it into cells 0..T; a category is a cell of its
 * own. Inside a cell every tree gives the same leaf, so a row is a vector of cells, and a box is an interval of cells per
 * numeric feature and a set of them per category.
 *
 *   split of a numeric feature: left <=> cell <= cut          split of a category: left <=> its cell is in the split's set
 *
 * For one person each cell has one best value, the one nearest to the present value that lies in it and in the person's
 * domain, and so a cost; an empty cell costs Infinity. Where the library compares in float32 the ends of a cell are the last
 * numbers that round to its side: as the model sees it, an answer is a representable step past its threshold, and nothing
 * nearer is.
 *
 * Every feature has one more cell, after the others: "missing". Who is in it stays in it, and nobody else gets there; each
 * split says where it leads.
 */
import { nextDown, nextDownSingle, nextUp, nextUpSingle } from '../../../linalg/floats.js';
import type { Feature } from '../../../models/features.js';
import type { TreesAtom } from '../../../models/region.js';
import { type Forest, goesLeft, MISSING_LEFT } from '../../../models/trees/tree.js';
import { changeCost } from '../../../policy/cost.js';
import { type Domain, roundTo } from '../../../policy/domain.js';
import type { Problem } from '../../../problems/problem.js';

/** Costs that are sums over features: a cell then has a cost of its own. */
const SEPARABLE = new Set(['l0', 'l1', 'l2', 'percentile']);

/** Whether a problem can be told in cells. Trees behind a step that mixes columns have no boxes in them. */
export function hasCells(problem: Problem): boolean {
  const atom = soleTrees(problem);
  if (!atom || (atom.map && !atom.map.diagonal)) return false;
  return SEPARABLE.has(problem.traits.norm);
}

/** The trees of a problem that asks for nothing else of the model; null: there is more, or none. */
export function soleTrees({ piece: { rows, atoms } }: Problem): TreesAtom | null {
  return rows.length === 0 && atoms.length === 1 && atoms[0].kind === 'trees' ? atoms[0] : null;
}

/** The same, for a problem that was accepted. */
export function treesOf(problem: Problem): TreesAtom {
  const atom = soleTrees(problem);
  if (!atom) throw new TypeError('the problem is not made of trees');
  return atom;
}

/** The last value of a column that goes left at a threshold, and the first that goes right. */
interface Cut {
  readonly leftEnd: number;
  readonly rightStart: number;
}

export interface FeatureCells {
  readonly feature: Feature;
  /** Cells are a set, not an order. */
  readonly unordered: boolean;
  /** Without the cell "missing", whose number this is. */
  readonly count: number;
  readonly cuts: readonly Cut[];
}

export class Cells {
  readonly features: readonly FeatureCells[];
  /** By node: the feature that it splits; -1 at leaves and splits that decide nothing. */
  readonly feature: Int32Array;
  /** By node, numeric: left <=> cell <= cut, or its opposite when flipped. */
  readonly cut: Int32Array;
  readonly flipped: Uint8Array;
  /** By node, unordered: which cells go left, "missing" the last of them. */
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
    this.flipped = new Uint8Array(nodes);
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
    const count = Math.max(1, feature.categories.length || feature.max - feature.min + 1);
    for (const n of nodes) {
      const ways = Array.from({ length: count }, (_, cell) => +goesLeft(forest, n, this.inputOf(n, feature, cell)));
      this.feature[n] = feature.index;
      sets[n] = Uint8Array.from([...ways, this.missingLeft[n]]);
    }
    return { feature, unordered, count, cuts: [] };
  }

  /** What a split of a category sees when the feature is in a cell. */
  private inputOf(node: number, feature: Feature, cell: number): number {
    const column = this.atom.forest.feature[node];
    const value = feature.kind === 'choice' ? +(column === feature.column + cell) : cell;
    return this.toInput(column, value);
  }

  /** What the trees see of a column's value. */
  toInput(column: number, value: number): number {
    const { map } = this.atom;
    return map ? map.offset[column] + map.diagonal![column] * value : value;
  }

  private layOutOrdered(feature: Feature, nodes: readonly number[]): FeatureCells {
    const { map } = this.atom;
    const flip = map !== null && map.diagonal![feature.column] < 0;
    const found = nodes.map((n) => ({ n, cut: this.cutOf(n, flip) })).sort((a, b) => a.cut.leftEnd - b.cut.leftEnd);
    const cuts: Cut[] = [];
    for (const { n, cut } of found) {
      if (!cuts.length || cuts[cuts.length - 1].leftEnd < cut.leftEnd) cuts.push(cut);
      this.feature[n] = feature.index;
      this.cut[n] = cuts.length - 1;
      this.flipped[n] = +flip;
    }
    return { feature, unordered: false, count: cuts.length + 1, cuts };
  }

  /** The two sides of a threshold, in columns and in the precision of the comparison. */
  private cutOf(node: number, flip: boolean): Cut {
    const { forest, map } = this.atom;
    const left = forest.single[node] === 1 ? lastSingle(forest, node) : lastDouble(forest, node);
    const right = nextUp(left);
    if (!map) return { leftEnd: left, rightStart: right };
    const column = forest.feature[node];
    const back = (input: number) => (input - map.offset[column]) / map.diagonal![column];
    const sides = [this.settle(node, column, back(left), true), this.settle(node, column, back(right), false)];
    return flip ? { leftEnd: sides[1], rightStart: sides[0] } : { leftEnd: sides[0], rightStart: sides[1] };
  }

  /** A column value near the given one that goes to the wanted side: rounding in the scaling may need a few steps. */
  private settle(node: number, column: number, start: number, left: boolean): number {
    const { forest, map } = this.atom;
    const outward = map!.diagonal![column] > 0 === left ? nextDown : nextUp;
    let value = start;
    for (let k = 0; k < 1000 && goesLeft(forest, node, this.toInput(column, value)) !== left; k++)
      value = outward(value);
    return value;
  }
}

/** The largest number that goes left. */
function lastDouble({ threshold, strict }: Forest, node: number): number {
  return strict[node] ? nextDown(threshold[node]) : threshold[node];
}

/** The same where the number is rounded to float32 first: it rounds to the largest float32 that goes left. */
function lastSingle({ threshold, strict }: Forest, node: number): number {
  let left = Math.fround(threshold[node]);
  if (left > threshold[node] || (strict[node] && left === threshold[node])) left = nextDownSingle(left);
  const middle = (left + nextUpSingle(left)) / 2;
  return Math.fround(middle) === left ? middle : nextDown(middle);
}

/** The cells of one person. */
export class PersonCells {
  /** By feature: the present cell. */
  readonly present: Int32Array;
  /** By feature and cell: Infinity where this person cannot go. */
  readonly cost: Float64Array[];
  readonly value: Float64Array[];

  constructor(private readonly cells: Cells) {
    this.present = new Int32Array(cells.features.length);
    this.cost = cells.features.map(({ count }) => new Float64Array(count + 1));
    this.value = cells.features.map(({ count }) => new Float64Array(count + 1));
  }

  fill(domain: Domain): void {
    for (const layout of this.cells.features) {
      const { feature, count } = layout;
      this.cost[feature.index][count] = Infinity;
      if (Number.isNaN(domain.origin[feature.column])) this.fillMissing(layout);
      else if (layout.unordered) this.fillUnordered(layout, domain);
      else this.fillOrdered(layout, domain);
    }
  }

  private fillMissing({ feature: { index }, count }: FeatureCells): void {
    this.present[index] = count;
    this.cost[index].fill(Infinity);
    this.cost[index][count] = 0;
    this.value[index][count] = Number.NaN;
  }

  private fillUnordered({ feature, count }: FeatureCells, domain: Domain): void {
    const { column, index } = feature;
    const choice = feature.kind === 'choice';
    let present = choice ? 0 : domain.origin[column];
    if (choice) for (let k = 0; k < count; k++) if (domain.origin[column + k] === 1) present = k;
    this.present[index] = present;
    for (let cell = 0; cell < count; cell++) {
      this.value[index][cell] = cell;
      this.cost[index][cell] = isOpenCell(domain, feature, cell)
        ? changeCost(this.cells.problem.cost, feature, present, cell)
        : Infinity;
    }
  }

  private fillOrdered({ feature, cuts, count }: FeatureCells, domain: Domain): void {
    const { column, index } = feature;
    const here = domain.origin[column];
    let present = 0;
    while (present < cuts.length && here > cuts[present].leftEnd) present++;
    this.present[index] = present;
    for (let cell = 0; cell < count; cell++) {
      const low = cell === 0 ? -Infinity : cuts[cell - 1].rightStart;
      const high = cell === count - 1 ? Infinity : cuts[cell].leftEnd;
      const value = nearestIn(
        domain,
        feature,
        cell === present ? Math.min(low, here) : low,
        cell === present ? Math.max(high, here) : high,
      );
      this.value[index][cell] = value;
      this.cost[index][cell] = Number.isNaN(value)
        ? Infinity
        : changeCost(this.cells.problem.cost, feature, here, value);
    }
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

/** Whether the domain has the category or rank. */
export function isOpenCell({ lower, upper, ranks }: Domain, { kind, column, index }: Feature, cell: number): boolean {
  if (kind === 'choice') return upper[column + cell] > 0;
  return cell >= lower[column] && cell <= upper[column] && ranks[index]?.[cell] !== 0;
}

/** Leaves a domain the categories or ranks of a set. */
export function closeCells(feature: Feature, set: Uint8Array, domain: Domain): void {
  const { kind, column, index } = feature;
  if (kind === 'choice') {
    for (let cell = 0; cell < set.length; cell++) if (!set[cell]) domain.upper[column + cell] = 0;
  } else domain.ranks[index] = set.map((inside, cell) => inside & +isOpenCell(domain, feature, cell));
}

/** How far the end of a domain may be from the lattice point that it stands for. */
export const roundingOf = ({ step, grid }: Domain, index: number): number => 1e-9 * (step[index] || grid[index]);

/** The value of the domain nearest to the present one within [low, high]; NaN when there is none. */
export function nearestIn(domain: Domain, { column, index, decimals }: Feature, low: number, high: number): number {
  const here = domain.origin[column];
  const from = Math.max(low, domain.lower[column] - roundingOf(domain, index));
  const to = Math.min(high, domain.upper[column] + roundingOf(domain, index));
  if (!(from <= to)) return Number.NaN;
  if (here >= from && here <= to) return here;
  const target = here < from ? from : to;
  const step = domain.step[index] || domain.grid[index];
  if (step === 0 && decimals < 0) return target;
  const side = here < from ? 1 : -1;
  let value = onGrid(target, here, step, decimals, side);
  if (domain.ranks[index]) while (value >= from && value <= to && domain.ranks[index]![value] !== 1) value += side;
  return value >= from && value <= to ? value : Number.NaN;
}

/** The first lattice point or decimal at or beyond the target, as seen from the present value. */
function onGrid(target: number, here: number, step: number, decimals: number, side: number): number {
  if (step > 0) {
    const steps = Math.ceil((Math.abs(target - here) / step) * (1 - 1e-12) - 1e-12);
    const value = tidy(here + side * steps * step);
    return (value - target) * side >= 0 ? value : tidy(here + side * (steps + 1) * step);
  }
  const rounded = roundTo(target, decimals);
  return (rounded - target) * side >= 0 ? rounded : roundTo(rounded + side * 10 ** -decimals, decimals);
}

/** 0.30000000000000004 -> 0.3; whole numbers are tidy, and printing them is what takes time. */
const tidy = (value: number): number =>
  Number.isInteger(value) && Math.abs(value) < 1e15 ? value : Number(value.toPrecision(15));
