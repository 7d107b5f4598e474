/**
 * Boxes of the model's inputs u, for a search that divides boxes:
 *
 *   root     bounds of the image of a person's domain:  u_j = o_j + Σ_c M_jc x_c
 *   halves   u_j <= t  and  u_j >= t,  each with this inequality as a row over columns
 *
 * Behind a preprocessing step that mixes columns, a box of inputs is no box of columns. The rows express the box in columns.
 */
import type { AffineMap } from '../../linalg/affine.js';
import { between, type LinearRow, pullBackRow } from '../../models/region.js';
import type { Domain } from '../../policy/domain.js';

export interface InputBox {
  readonly lo: Float64Array;
  readonly hi: Float64Array;
  /** The divisions so far, as rows over columns. */
  readonly sides: readonly LinearRow[];
}

/** The place at which a box is divided. */
export interface BoxSplit {
  readonly input: number;
  readonly at: number;
}

/** The rounding error of an end, relative to the summed terms. */
const ROUNDING = 2 ** -48;

/** The box of inputs that contains the image of a domain. */
export function imageOf({ lower, upper }: Domain, map: AffineMap | null, inputs: number): InputBox {
  const lo = new Float64Array(inputs);
  const hi = new Float64Array(inputs);
  for (let j = 0; j < inputs; j++) [lo[j], hi[j]] = imageRange(lower, upper, map, j);
  return { lo, hi, sides: [] };
}

function imageRange(lower: Float64Array, upper: Float64Array, map: AffineMap | null, j: number): [number, number] {
  if (!map) return [lower[j], upper[j]];
  let [low, high, size] = [map.offset[j], map.offset[j], Math.abs(map.offset[j])];
  const add = (slope: number, c: number) => {
    if (slope === 0) return;
    const ends = [slope * lower[c], slope * upper[c]];
    low += Math.min(...ends);
    high += Math.max(...ends);
    size += Math.max(...ends.map((end) => (Number.isFinite(end) ? Math.abs(end) : 0)));
  };
  if (map.diagonal) add(map.diagonal[j], j);
  else map.matrix![j].forEach(add);
  return [low - ROUNDING * size, high + ROUNDING * size];
}

/** The intersection of two boxes, with the rows of the first box. */
export function meet(box: InputBox, other: InputBox): InputBox {
  const lo = box.lo.map((low, j) => Math.max(low, other.lo[j]));
  const hi = box.hi.map((high, j) => Math.min(high, other.hi[j]));
  return { lo, hi, sides: box.sides };
}

export const isEmpty = ({ lo, hi }: InputBox): boolean => lo.some((low, j) => low > hi[j]);

/** The lower and the upper half. Both contain the dividing plane. */
export function halve(box: InputBox, { input, at }: BoxSplit, map: AffineMap | null): [InputBox, InputBox] {
  const unit = new Float64Array(box.lo.length).fill(1, input, input + 1);
  const side = (low: number, high: number): LinearRow => {
    const row = between(unit, low, high);
    return map ? pullBackRow(map, row) : row;
  };
  const below = { lo: box.lo, hi: box.hi.with(input, at), sides: [...box.sides, side(-Infinity, at)] };
  const above = { lo: box.lo.with(input, at), hi: box.hi, sides: [...box.sides, side(at, Infinity)] };
  return [below, above];
}
