/**
 * Bisectors of samples: a point is at least as near to one sample as to another. In the model's inputs the squares cancel:
 *
 *   ‖x - a‖² <= ‖x - q‖²     <=>     2 (q - a)·x <= ‖q‖² - ‖a‖²
 *
 * and behind preprocessing this is a row over columns. A single row that the person lacks is a bound on the cost (cost-reach.ts).
 */
import { applyMap, pullBackVector } from '../../linalg/affine.js';
import { formRoundingShare, identity, type SymmetricMatrix } from '../../linalg/symmetric-matrix.js';
import { type Centre, DistanceDifference } from '../../models/distance-difference.js';
import { nearerPiece } from '../../models/prototype-pieces.js';
import { type LinearRow, type NeighboursAtom, pullBackRow } from '../../models/region.js';
import type { Problem } from '../../problems/problem.js';
import { CostReach, powerOf } from '../shared/cost-reach.js';

/** Of a bound, for what rounding may do to it. */
const SHARE = 1e-9;

export interface SamplePair {
  readonly near: number;
  readonly far: number;
}

export class Bisectors {
  readonly count: number;
  private readonly width: number;
  private readonly inputs: Float64Array;
  private readonly matrix: SymmetricMatrix;
  private readonly centres: (Centre | undefined)[];
  private readonly reach: CostReach;

  constructor(
    private readonly atom: NeighboursAtom,
    private readonly problem: Problem,
  ) {
    this.width = atom.nearest.inputs;
    this.count = atom.nearest.count;
    this.inputs = new Float64Array(this.width);
    this.matrix = identity(this.width);
    this.centres = new Array(this.count);
    this.reach = new CostReach(problem);
  }

  /** The squared distances of all samples to columns. */
  measure(columns: Float64Array, out: Float64Array): void {
    this.enter(columns);
    for (let s = 0; s < out.length; s++) out[s] = this.atom.nearest.measure(s, this.inputs);
  }

  private enter(columns: Float64Array): void {
    const { map } = this.atom;
    if (map) applyMap(map, columns, this.inputs);
    else this.inputs.set(columns);
  }

  /** Whether columns are nearer to the first of each pair, or as near and the first is the earlier sample. */
  areKept(pairs: readonly SamplePair[], columns: Float64Array): boolean {
    this.enter(columns);
    const { nearest } = this.atom;
    return pairs.every(({ near, far }) => {
      const [own, other] = [nearest.measure(near, this.inputs), nearest.measure(far, this.inputs)];
      return own < other || (own === other && near < far);
    });
  }

  /** `near` is at least as near as `far`. */
  row(near: number, far: number): LinearRow {
    const difference = new DistanceDifference(this.centre(near), this.centre(far), 0);
    const [row] = nearerPiece([difference]).rows;
    return this.atom.map ? pullBackRow(this.atom.map, row) : row;
  }

  private centre(sample: number): Centre {
    const { samples } = this.atom.nearest;
    this.centres[sample] ??= {
      at: samples.subarray(sample * this.width, (sample + 1) * this.width),
      matrix: this.matrix,
    };
    return this.centres[sample]!;
  }

  /** ‖a - q‖² */
  between(a: number, q: number): number {
    const { samples } = this.atom.nearest;
    let sum = 0;
    for (let j = 0; j < this.width; j++) sum += (samples[a * this.width + j] - samples[q * this.width + j]) ** 2;
    return sum;
  }

  /** A lower bound on the cost of coming as near to one sample as to another, from where the squares were measured. */
  bound(near: number, far: number, squares: Float64Array): number {
    const rounding = 2 * formRoundingShare(this.matrix) * (squares[near] + squares[far]);
    const lack = squares[near] - squares[far] - rounding;
    if (!(lack > 0)) return 0;
    const { cost } = this.problem;
    const a = this.slope(near, far);
    const price = cost.norm === 'l0' ? this.reach.leastWeight(a) : this.reach.price(a);
    return price * lack ** powerOf(this.reach) * (1 - SHARE);
  }

  /** 2 (q - a), over columns. */
  private slope(near: number, far: number): Float64Array {
    const { nearest, map } = this.atom;
    const a = new Float64Array(this.width);
    for (let j = 0; j < this.width; j++)
      a[j] = 2 * (nearest.samples[far * this.width + j] - nearest.samples[near * this.width + j]);
    return map ? pullBackVector(map, a).a : a;
  }
}
