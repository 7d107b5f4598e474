/**
 * Which of two samples a point is nearer to, as linear rows over columns. By metric:
 *
 *   euclidean   the bisector is a plane: one row, everywhere             (bisectors.ts)
 *   manhattan   a row for each box of inputs, met by all that is nearer  (ramps.ts)
 *
 * A single row that the person lacks is a bound on the cost.
 */
import { applyMap } from '../../linalg/affine.js';
import type { LinearRow, NeighboursAtom } from '../../models/region.js';
import type { Problem } from '../../problems/problem.js';
import { CostReach, powerOf, priceOf } from '../shared/cost-reach.js';
import type { BoxSplit, InputBox } from './input-box.js';

/** Of a bound, for what rounding may do to it. */
const SHARE = 1e-9;

export interface SamplePair {
  readonly near: number;
  readonly far: number;
}

export abstract class Comparisons {
  readonly count: number;
  /** Of the point that was entered last. */
  readonly inputs: Float64Array;
  protected readonly width: number;
  private readonly reach: CostReach;

  constructor(
    protected readonly atom: NeighboursAtom,
    problem: Problem,
  ) {
    this.width = atom.nearest.inputs;
    this.count = atom.nearest.count;
    this.inputs = new Float64Array(this.width);
    this.reach = new CostReach(problem);
  }

  /** Rows hold within a box only. */
  abstract readonly needsBox: boolean;

  /** Kept by every point of the box that is at least as near to `near` as to `far`; the tightest one at the inputs entered last. */
  abstract row(near: number, far: number, box: InputBox | null): LinearRow;

  /** Where the box is divided for rows that are tighter at the inputs entered last; null: they are as tight as can be. */
  abstract split(pairs: readonly SamplePair[], box: InputBox): BoxSplit | null;

  /** What is compared, of the distance between two samples. */
  abstract between(a: number, q: number): number;

  /** Over columns: how fast the difference of what is compared may change. */
  protected abstract slope(near: number, far: number): Float64Array;

  /** What rounding may do to a difference, as a share of what is compared. */
  protected abstract readonly rounding: number;

  /** What is compared of all samples at columns. */
  measure(columns: Float64Array, out: Float64Array): void {
    this.enter(columns);
    for (let s = 0; s < out.length; s++) out[s] = this.atom.nearest.measure(s, this.inputs);
  }

  enter(columns: Float64Array): void {
    const { map } = this.atom;
    if (map) applyMap(map, columns, this.inputs);
    else this.inputs.set(columns);
  }

  /** Whether the inputs entered last are nearer to the first of the pair, or as near and the first is the earlier sample. */
  isKept({ near, far }: SamplePair): boolean {
    const { nearest } = this.atom;
    const [own, other] = [nearest.measure(near, this.inputs), nearest.measure(far, this.inputs)];
    return own < other || (own === other && near < far);
  }

  /** A lower bound on the cost of coming as near to one sample as to another, from where all were measured. */
  bound(near: number, far: number, measured: Float64Array): number {
    const lack = measured[near] - measured[far] - this.rounding * (measured[near] + measured[far]);
    if (!(lack > 0)) return 0;
    const row = { a: this.slope(near, far), lower: 0, upper: Infinity };
    return priceOf(this.reach, row) * lack ** powerOf(this.reach) * (1 - SHARE);
  }
}
