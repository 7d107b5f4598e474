/** A node of the search over sets of neighbours (neighbour-search.ts). */
import type { LinearRow } from '../../models/region.js';
import { magnitude, violation } from '../shared/linear-rows.js';
import type { SamplePair } from './comparisons.js';
import type { InputBox } from './input-box.js';
import type { Way } from './votes.js';

/** The condition that `near` is at least as near as `far`. */
export interface Pair extends SamplePair {
  readonly row: LinearRow;
  /** A lower bound on the cost of any point that keeps the pair. */
  readonly bound: number;
}

export interface Group {
  readonly way: Way;
  readonly chosen: readonly number[];
  /** The position in the order of the class at which the next sample is chosen. */
  readonly from: number;
  /** The node stands for all choices from this position of the order on. Null: the node stands for all points of its rows. */
  readonly choosing: number | null;
  readonly beyond: readonly number[];
  readonly excused: readonly number[];
  /** Neighbours that were decided one by one. Null: none was decided. */
  readonly decided: { readonly inside: readonly number[]; readonly outside: readonly number[] } | null;
  readonly pairs: readonly Pair[];
  /** The box in which the rows are valid. Null: the rows are valid everywhere. */
  readonly box: InputBox | null;
  /** Additional rows that are valid in the box. */
  readonly cuts: readonly LinearRow[];
  readonly bound: number;
  /** The optimum of the relaxation. Null: not solved yet. */
  readonly x: Float64Array | null;
}

export const emptyGroup = (way: Way, chosen: readonly number[], box: InputBox | null): Group => ({
  way,
  chosen,
  from: 0,
  choosing: null,
  beyond: [],
  excused: [],
  decided: null,
  pairs: [],
  box,
  cuts: [],
  bound: 0,
  x: null,
});

export function joined(group: Group, added: readonly Pair[]): Group {
  if (!added.length) return group;
  const bound = added.reduce((most, pair) => Math.max(most, pair.bound), group.bound);
  return { ...group, pairs: [...group.pairs, ...added], bound, x: null };
}

export const withCuts = (group: Group, cuts: readonly LinearRow[]): Group => ({
  ...group,
  cuts: [...group.cuts, ...cuts],
  x: null,
});

/** A row counts as kept or violated only beyond this fraction of its summed terms. Smaller differences are rounding errors. */
const ROUNDING = 1e-11;
const EDGE = 2 ** -46;

/** A depth inside the rows that is above rounding errors, and below the depth that answers keep. */
export const isInside = (row: LinearRow, x: Float64Array): boolean => violation(row, x) < -EDGE * magnitude(row, x);

export const isOutside = (row: LinearRow, x: Float64Array): boolean => violation(row, x) > ROUNDING * sizeAt(row, x);

const sizeAt = (row: LinearRow, x: Float64Array): number => magnitude(row, x) + (row.arithmetic?.constant ?? 0);

/** All rows of a group. Null: a row without columns is violated, so no point keeps all rows. */
export function rowsOf({ pairs, cuts, box }: Group): LinearRow[] | null {
  const rows = [...pairs.map(({ row }) => row), ...cuts, ...(box?.sides ?? [])];
  const [level, sloping] = [rows.filter(isLevel), rows.filter((row) => !isLevel(row))];
  return level.some((row) => isOutside(row, NOWHERE)) ? null : sloping;
}

const isLevel = ({ a }: LinearRow): boolean => a.every((slope) => slope === 0);

/** A row without columns is constant. */
const NOWHERE = new Float64Array();
