/**
 * Bisectors of samples under the Euclidean metric. In the model's inputs the squares of x cancel:
 *
 *   ‖x - a‖² <= ‖x - q‖²     <=>     2 (q - a)·x <= ‖q‖² - ‖a‖²
 *
 * With the preprocessing inserted, the inequality is a linear row over columns.
 */
import { pullBackVector } from '../../linalg/affine.js';
import { formRoundingShare, identity, type SymmetricMatrix } from '../../linalg/symmetric-matrix.js';
import { type Centre, DistanceDifference } from '../../models/distance-difference.js';
import { nearerPiece } from '../../models/prototype-pieces.js';
import { type LinearRow, type NeighboursAtom, pullBackRow } from '../../models/region.js';
import type { Problem } from '../../problems/problem.js';
import { Comparisons } from './comparisons.js';

export class Bisectors extends Comparisons {
  readonly needsBox = false;
  protected readonly rounding: number;
  private readonly matrix: SymmetricMatrix;
  private readonly centres: (Centre | undefined)[];

  constructor(atom: NeighboursAtom, problem: Problem) {
    super(atom, problem);
    this.matrix = identity(this.width);
    this.rounding = 2 * formRoundingShare(this.matrix);
    this.centres = new Array(this.count);
  }

  row(near: number, far: number): LinearRow {
    const difference = new DistanceDifference(this.centre(near), this.centre(far), 0);
    const [row] = nearerPiece([difference]).rows;
    return this.atom.map ? pullBackRow(this.atom.map, row) : row;
  }

  split(): null {
    return null;
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

  /** 2 (q - a) */
  protected slope(near: number, far: number): Float64Array {
    const { nearest, map } = this.atom;
    const a = new Float64Array(this.width);
    for (let j = 0; j < this.width; j++)
      a[j] = 2 * (nearest.samples[far * this.width + j] - nearest.samples[near * this.width + j]);
    return map ? pullBackVector(map, a).a : a;
  }
}
