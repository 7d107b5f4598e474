/**
 * Comparisons of Manhattan distances within a box  l <= u <= h  of the model's inputs:
 *
 *   Σ_j |u_j - a_j| <= Σ_j |u_j - q_j|     <=>     Σ_j g_j(u_j) <= 0,     g_j(u) = |u - a_j| - |u - q_j|
 *
 * g_j is a ramp: constant up to one of a_j and q_j, with slope 2 or -2 between them, constant after the other. The convex envelope of a ramp over
 * an interval has a constant part at the end of a_j and a straight part. A tangent of the envelopes is a row that all nearer points of the box keep.
 * The envelope differs from the ramp only if the kink at q_j lies inside the interval. After a division at the kink, the envelope equals the ramp.
 */
import { pullBackVector, sizesOf } from '../../linalg/affine.js';
import type { Feature } from '../../models/features.js';
import { type LinearRow, type NeighboursAtom, pullBackRow } from '../../models/region.js';
import type { Problem } from '../../problems/problem.js';
import { Comparisons, type SamplePair } from './comparisons.js';
import type { BoxSplit, InputBox } from './input-box.js';

/** A straight line: `slope` u + `constant`. */
interface Line {
  readonly slope: number;
  readonly constant: number;
}

/**
 * Relative to the width of a box: the distance above a kink at which the box is divided, and the smallest distance of a kink from the ends. A division at
 * the kink itself often leaves a part that touches the row in a corner only. Rounding would then decide, and no proof is possible.
 */
const ABOVE = 1e-9;
const FROM_END = 1e-6;

const level = (constant: number): Line => ({ slope: 0, constant });

/** A line with a smaller slope counts as constant: as a row, the line would be dominated by rounding errors. */
const LEAST_SLOPE = 1e-6;

/** The line through (u, value) with a slope. Constant if the slope is too small. */
const upFrom = (u: number, value: number, slope: number): Line =>
  slope > LEAST_SLOPE ? { slope, constant: value - slope * u } : level(value);

/** The line of the envelope of |u - a| - |u - q| over [lo, hi] that is largest at u. */
export function rampTangent(a: number, q: number, lo: number, hi: number, u: number): Line {
  if (a === q) return level(0);
  if (a > q) {
    const { slope, constant } = rampTangent(-a, -q, -hi, -lo, -u);
    return { slope: -slope, constant };
  }
  const size = q - a;
  if (hi <= a) return level(-size);
  if (lo >= q) return level(size);
  if (lo < a && u <= a) return level(-size);
  const start = Math.max(lo, a);
  const height = 2 * (start - a) - size;
  return upFrom(start, height, hi <= q ? 2 : (size - height) / (hi - start));
}

const finite = (value: number): number => (Number.isFinite(value) ? Math.abs(value) : 0);

/** The width of the box. For a box with an infinite end, the size of the finite end. */
const lengthOf = (lo: number, hi: number): number => (hi - lo < Infinity ? hi - lo : 1 + finite(lo) + finite(hi));

const isWellInside = (q: number, lo: number, hi: number): boolean =>
  Math.min(q - lo, hi - q) > FROM_END * lengthOf(lo, hi);

const justAbove = (q: number, lo: number, hi: number): number => q + ABOVE * lengthOf(lo, hi);

const rampAt = (a: number, q: number, u: number): number => Math.abs(u - a) - Math.abs(u - q);

export class Ramps extends Comparisons {
  readonly needsBox = true;
  protected readonly rounding: number;
  private readonly categories: readonly Feature[];

  constructor(atom: NeighboursAtom, problem: Problem) {
    super(atom, problem);
    this.rounding = (this.width + 4) * 2 ** -52;
    this.categories = problem.space.features.filter(({ kind }) => kind === 'choice');
  }

  row(near: number, far: number, box: InputBox): LinearRow {
    const { samples } = this.atom.nearest;
    const a = new Float64Array(this.width);
    let [constant, size] = [0, 0];
    for (let j = 0; j < this.width; j++) {
      const [own, other] = [samples[near * this.width + j], samples[far * this.width + j]];
      const line = rampTangent(own, other, box.lo[j], box.hi[j], this.inputs[j]);
      a[j] = line.slope;
      constant += line.constant;
      size += Math.abs(own) + Math.abs(other) + Math.abs(line.constant);
    }
    const arithmetic = { terms: a.map(Math.abs), constant: size };
    const row = { a, lower: -Infinity, upper: -constant, arithmetic };
    return this.atom.map ? pullBackRow(this.atom.map, row) : row;
  }

  /** A place just above the kink of the pair and input whose envelope is furthest below the ramp. */
  split(pairs: readonly SamplePair[], { lo, hi }: InputBox): BoxSplit | null {
    const { samples } = this.atom.nearest;
    let [most, found]: [number, BoxSplit | null] = [0, null];
    for (const { near, far } of pairs) {
      for (let j = 0; j < this.width; j++) {
        const [a, q, u] = [samples[near * this.width + j], samples[far * this.width + j], this.inputs[j]];
        const { slope, constant } = rampTangent(a, q, lo[j], hi[j], u);
        const gap = rampAt(a, q, u) - slope * u - constant;
        if (gap > most && isWellInside(q, lo[j], hi[j]))
          [most, found] = [gap, { input: j, at: justAbove(q, lo[j], hi[j]) }];
      }
    }
    return found;
  }

  /** ‖a - q‖₁ */
  between(a: number, q: number): number {
    const { samples } = this.atom.nearest;
    let sum = 0;
    for (let j = 0; j < this.width; j++) sum += Math.abs(samples[a * this.width + j] - samples[q * this.width + j]);
    return sum;
  }

  /** |Σ_j g_j(u_j) - Σ_j g_j(v_j)| <= Σ_j 2 |u_j - v_j|, over the inputs in which the samples differ. */
  protected slope(near: number, far: number): Float64Array {
    const { nearest, map } = this.atom;
    const a = new Float64Array(this.width);
    for (let j = 0; j < this.width; j++)
      a[j] = 2 * +(nearest.samples[far * this.width + j] !== nearest.samples[near * this.width + j]);
    return this.alternating(map ? pullBackVector(sizesOf(map), a).a : a);
  }

  /** A category that changes moves two columns, one up and one down. Entries of both signs count both. */
  private alternating(a: Float64Array): Float64Array {
    for (const { column, width } of this.categories) {
      const own = a.subarray(column, column + width);
      const most = Math.max(...own);
      own.fill(-most);
      own[0] = most;
    }
    return a;
  }
}
