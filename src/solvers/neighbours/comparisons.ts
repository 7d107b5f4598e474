/**
 * Comparisons of two distances as linear rows over columns: a point is nearer to one sample than to another. By metric:
 *
 *   euclidean   the bisector is a plane: one row, valid everywhere                    (bisectors.ts)
 *   manhattan   a row for each box of inputs; all nearer points of the box keep it    (ramps.ts)
 *
 * A single row that the person violates gives a lower bound on the cost.
 */
import { applyMap } from '../../linalg/affine.js';
import type { LinearRow, NeighboursAtom } from '../../models/region.js';
import type { Problem } from '../../problems/problem.js';
import { CostReach, powerOf, priceOf } from '../shared/cost-reach.js';
import type { BoxSplit, InputBox } from './input-box.js';

/** A bound is reduced by this fraction, for rounding errors. */
const SHARE = 1e-9;

export interface SamplePair {
  readonly near: number;
  readonly far: number;
}

export abstract class Comparisons {
  readonly count: number;
  /** Compared values of all samples, for the point that was entered last. */
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

  /** True if rows are valid within a box only. */
  abstract readonly needsBox: boolean;

  /** A row that holds for every point of the box that is at least as near to `near` as to `far`. Tightest at the inputs entered last. */
  abstract row(near: number, far: number, box: InputBox | null): LinearRow;

  /** Where to divide the box to get tighter rows at the inputs entered last. Null: the rows cannot get tighter. */
  abstract split(pairs: readonly SamplePair[], box: InputBox): BoxSplit | null;

  /** The compared value for two samples: the squared distance, or the distance. */
  abstract between(a: number, q: number): number;

  /** By column: the largest rate of change of the difference of the compared values. */
  protected abstract slope(near: number, far: number): Float64Array;

  /** The rounding error of a difference, relative to the compared values. */
  protected abstract readonly rounding: number;

  /** The compared values of all samples at a point. */
  measure(columns: Float64Array, out: Float64Array): void {
    this.enter(columns);
    for (let s = 0; s < out.length; s++) out[s] = this.atom.nearest.measure(s, this.inputs);
  }

  enter(columns: Float64Array): void {
    const { map } = this.atom;
    if (map) applyMap(map, columns, this.inputs);
    else this.inputs.set(columns);
  }

  /** Whether the inputs entered last are nearer to the first sample of the pair. Of equal distances the earlier sample is nearer. */
  isKept({ near, far }: SamplePair): boolean {
    const { nearest } = this.atom;
    const [own, other] = [nearest.measure(near, this.inputs), nearest.measure(far, this.inputs)];
    return own < other || (own === other && near < far);
  }

  /** A lower bound on the cost of a point that is as near to one sample as to another, from the point where all samples were measured. */
  bound(near: number, far: number, measured: Float64Array): number {
    const lack = measured[near] - measured[far] - this.rounding * (measured[near] + measured[far]);
    if (!(lack > 0)) return 0;
    const row = { a: this.slope(near, far), lower: 0, upper: Infinity };
    return priceOf(this.reach, row) * lack ** powerOf(this.reach) * (1 - SHARE);
  }
}
