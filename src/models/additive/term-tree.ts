/**
 * A term of an additive model as a tree: whatever knows trees then knows additive models.
 *
 *   ordered axis   a balanced tree over the starts of its steps; neighbours with equal entries are one step
 *   listed axis    a chain of tests, one for each category; the largest group of categories with equal entries ends the chain
 *   next axis      below each end of an axis; at the end of the last axis a leaf with the scores of the entry
 *   missing        goes where the entry is the same. Without an equal entry, a second test of the same split parts missing values
 *
 *                    x < t ──yes──> ...
 *                      └──no or missing──> x < t ──no──> step of x
 *                                            └──missing──> entry of a missing value
 *
 * No threshold is infinite, and no split cuts a feature where the term does not.
 */
import type { TreeDocument } from '../../documents/tree-document.js';
import { type Bounds, beyondBound } from '../bounds.js';
import type { Axis, ListedAxis, OrderedAxis } from './axis.js';
import type { TableEntry } from './term-document.js';

type Entries = readonly TableEntry[];

/** Where a column of 0 or 1 changes. */
const HALF = 0.5;

/** `path`: the place of the term. */
export function growTree(axes: readonly Axis[], table: TableEntry, path: string, bounds: Bounds): TreeDocument {
  const growth = new TreeGrowth(axes, path, bounds);
  growth.grow(0, table);
  return growth.tree();
}

/** An ordered axis after merging. */
interface Steps extends Host {
  /** By step: its first value, without the first step. */
  readonly starts: readonly number[];
  readonly entries: Entries;
}

/** The step or category that missing values go to, and their own entry where it differs from the entry there. */
interface Host {
  readonly host: number;
  readonly missing?: TableEntry;
}

class TreeGrowth {
  private readonly feature: number[] = [];
  private readonly threshold: number[] = [];
  private readonly left: number[] = [];
  private readonly right: number[] = [];
  private readonly missing: ('left' | 'right')[] = [];
  private readonly value: number[][] = [];

  constructor(
    private readonly axes: readonly Axis[],
    private readonly path: string,
    private readonly bounds: Bounds,
  ) {}

  tree(): TreeDocument {
    const { feature, threshold, left, right, missing, value } = this;
    const none = value.find((scores) => scores.length)!.map(() => 0);
    const values = value.map((scores) => (scores.length ? scores : none));
    return { feature, threshold, left, right, missing, value: values, comparison: '<', precision: 'float64' };
  }

  /** Adds the nodes for an entry behind the first `level` axes. */
  grow(level: number, entry: TableEntry): void {
    const axis = this.axes[level];
    if (!axis) this.addNode(0, 0, false, typeof entry === 'number' ? [entry] : (entry as number[]));
    else if (axis.kind === 'listed') this.growListed(axis, entry as Entries, level);
    else {
      const steps = stepsOf(axis, entry as Entries);
      this.growOrdered(steps, axis.feature.column, level, 0, steps.entries.length - 1);
    }
  }

  private addNode(column: number, threshold: number, missingLeft: boolean, scores: number[] = []): number {
    this.feature.push(column);
    this.threshold.push(threshold);
    this.left.push(-1);
    this.right.push(-1);
    this.missing.push(missingLeft ? 'left' : 'right');
    return this.value.push(scores) - 1;
  }

  private split(node: number, low: () => void, high: () => void): void {
    this.left[node] = this.feature.length;
    low();
    this.right[node] = this.feature.length;
    high();
  }

  /** The steps `from` to `to`, both included. */
  private growOrdered(steps: Steps, column: number, level: number, from: number, to: number): void {
    const middle = (from + to) >> 1;
    if (from === to) this.endOrdered(steps, column, level, from);
    else
      this.split(
        this.addNode(column, steps.starts[middle], steps.host <= middle),
        () => this.growOrdered(steps, column, level, from, middle),
        () => this.growOrdered(steps, column, level, middle + 1, to),
      );
  }

  private endOrdered({ starts, entries, host, missing }: Steps, column: number, level: number, step: number): void {
    if (step === host && missing !== undefined)
      this.partMissing(column, starts[step - 1], level, missing, entries[step]);
    else this.grow(level + 1, entries[step]);
  }

  /** A split that all values there pass on the right side, and a missing value on the left side. */
  private partMissing(column: number, start: number, level: number, missing: TableEntry, entry: TableEntry): void {
    const node = this.addNode(column, start, true);
    this.split(
      node,
      () => this.grow(level + 1, missing),
      () => this.grow(level + 1, entry),
    );
  }

  private growListed(axis: ListedAxis, entries: Entries, level: number): void {
    const { column } = axis.feature;
    const { usual, tested, host, missing } = chainOf(axis, entries);
    if (tested.length > this.bounds.treeLevels) throw tooManyCategories(axis, tested.length, this.path, this.bounds);
    let last = -1;
    for (const c of tested) {
      const node = this.addNode(column + c, HALF, c !== host);
      if (last >= 0) this.left[last] = node;
      last = node;
      this.right[node] = this.feature.length;
      const entry = entries[axis.entryOf[c]];
      if (c === host && missing !== undefined) this.partMissing(column + c, HALF, level, missing, entry);
      else this.grow(level + 1, entry);
    }
    if (last >= 0) this.left[last] = this.feature.length;
    this.grow(level + 1, usual);
  }
}

const keyOf = (entry: TableEntry): string => JSON.stringify(entry);

function stepsOf(axis: OrderedAxis, table: Entries): Steps {
  const starts: number[] = [];
  const entries: TableEntry[] = [];
  const keys: string[] = [];
  for (const [k, at] of axis.entryOf.entries()) {
    const key = keyOf(table[at]);
    if (key === keys.at(-1)) continue;
    if (k > 0) starts.push(axis.starts[k - 1]);
    entries.push(table[at]);
    keys.push(key);
  }
  if (axis.missing < 0) return { starts, entries, host: 0 };
  const missing = table[axis.missing];
  const host = keys.indexOf(keyOf(missing));
  if (host >= 0) return { starts, entries, host };
  // Without any cut, a split at 0 tells values from missing values.
  return entries.length > 1
    ? { starts, entries, host: entries.length - 1, missing }
    : { starts: [0], entries: [entries[0], entries[0]], host: 1, missing };
}

interface Chain extends Host {
  /** The entry at the end of the chain. */
  readonly usual: TableEntry;
  /** The categories with a test of their own. */
  readonly tested: readonly number[];
}

function chainOf(axis: ListedAxis, table: Entries): Chain {
  const keys = axis.entryOf.map((at) => keyOf(table[at]));
  const most = mostFrequent(keys);
  const usual = table[axis.entryOf[keys.indexOf(most)]];
  const tested = [...keys.keys()].filter((c) => keys[c] !== most);
  if (axis.missing < 0) return { usual, tested, host: -1 };
  const missing = table[axis.missing];
  const key = keyOf(missing);
  if (key === most) return { usual, tested, host: -1 };
  if (keys.includes(key)) return { usual, tested, host: keys.indexOf(key) };
  return tested.length ? { usual, tested, host: tested.at(-1)!, missing } : { usual, tested: [0], host: 0, missing };
}

function mostFrequent(keys: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return [...counts].reduce((best, next) => (next[1] > best[1] ? next : best))[0];
}

function tooManyCategories({ feature }: Axis, tests: number, path: string, { treeLevels }: Bounds) {
  const message = `${tests} categories of "${feature.name}" have scores of their own; at most ${treeLevels} are taken. Give equal scores to rare categories, or make the feature ordinal`;
  return beyondBound(path, message, 'treeLevels');
}
