/**
 * The quadratics of Gaussian and prototype models: the point is nearer to one centre than to another.
 *
 *   q(x) = (x - μ)ᵀ P (x - μ) - (x - ν)ᵀ R (x - ν) + constant  <=  0,      P, R positive semidefinite
 *
 * which is a difference of convex functions. Values and gradients are computed from the differences x - μ and x - ν, so features far from
 * zero lose no digits. With preprocessing x = M z + o they are computed in x.
 */
import { type AffineMap, applyMap, pullBackVector } from '../linalg/affine.js';
import {
  addQuadraticGradient,
  bilinearForm,
  formRounding,
  quadraticForm,
  type SymmetricMatrix,
} from '../linalg/symmetric-matrix.js';
import { dot } from '../linalg/vector.js';

export interface Centre {
  readonly at: Float64Array;
  readonly matrix: SymmetricMatrix;
}

/** bend t² + slope t + value */
export interface Parabola {
  readonly bend: number;
  readonly slope: number;
  readonly value: number;
}

interface Scratch {
  readonly x: Float64Array;
  readonly slope: Float64Array;
  readonly turned: Float64Array;
  readonly still: Float64Array;
}

const scratchOf = (size: number): Scratch => ({
  x: new Float64Array(size),
  slope: new Float64Array(size),
  turned: new Float64Array(size),
  still: new Float64Array(size),
});

export class DistanceDifference {
  /** Allocated on first use: a model of many prototypes has many differences that are never evaluated. */
  private own: Scratch | undefined;

  constructor(
    readonly near: Centre,
    readonly far: Centre,
    readonly constant: number,
    readonly map: AffineMap | null = null,
    /** The size of the constant's parts, which the model adds to the distances one by one. */
    readonly size = Math.abs(constant),
  ) {}

  private get scratch(): Scratch {
    this.own ??= scratchOf(this.near.at.length);
    return this.own;
  }

  /** The same difference behind a map, for a difference without a map. */
  behind(map: AffineMap): DistanceDifference {
    return new DistanceDifference(this.near, this.far, this.constant, map, this.size);
  }

  private inside(z: Float64Array): Float64Array {
    if (!this.map) return z;
    const { x } = this.scratch;
    applyMap(this.map, z, x);
    return x;
  }

  value(z: Float64Array): number {
    const x = this.inside(z);
    return (
      quadraticForm(this.near.matrix, x, this.near.at) - quadraticForm(this.far.matrix, x, this.far.at) + this.constant
    );
  }

  nearValue(z: Float64Array): number {
    return quadraticForm(this.near.matrix, this.inside(z), this.near.at);
  }

  farValue(z: Float64Array): number {
    return quadraticForm(this.far.matrix, this.inside(z), this.far.at);
  }

  /** The size of the terms that cancel in the value. Rounding is relative to this size. */
  magnitude(z: Float64Array): number {
    const x = this.inside(z);
    return (
      quadraticForm(this.near.matrix, x, this.near.at) + quadraticForm(this.far.matrix, x, this.far.at) + this.size
    );
  }

  /** The largest rounding error of the value, here or in the model. */
  rounding(z: Float64Array): number {
    const x = this.inside(z);
    const { near, far, constant } = this;
    return formRounding(near.matrix, x, near.at) + formRounding(far.matrix, x, far.at) + 2 ** -50 * Math.abs(constant);
  }

  /** The value along z + t v. */
  along(z: Float64Array, v: Float64Array): Parabola {
    const { near, far } = this;
    const { still } = this.scratch;
    const x = this.inside(z);
    const w = this.turn(v);
    const slope = bilinearForm(near.matrix, x, near.at, w) - bilinearForm(far.matrix, x, far.at, w);
    const bend = bilinearForm(near.matrix, w, still, w) - bilinearForm(far.matrix, w, still, w);
    return { bend, slope: 2 * slope, value: this.value(z) };
  }

  /** The linear part of the map. */
  private turn(v: Float64Array): Float64Array {
    const { map } = this;
    if (!map) return v;
    const { turned } = this.scratch;
    if (map.diagonal) for (let i = 0; i < turned.length; i++) turned[i] = map.diagonal[i] * v[i];
    else for (let i = 0; i < turned.length; i++) turned[i] = dot(map.matrix![i], v);
    return turned;
  }

  gradient(z: Float64Array): Float64Array {
    return this.combine(z, 1, -1);
  }

  /** Gradient of the near part alone. */
  nearGradient(z: Float64Array): Float64Array {
    return this.combine(z, 1, 0);
  }

  /** Gradient of the far part alone, which the convex-concave procedure linearises. */
  farGradient(z: Float64Array): Float64Array {
    return this.combine(z, 0, 1);
  }

  private combine(z: Float64Array, near: number, far: number): Float64Array {
    const x = this.inside(z);
    const slope = this.scratch.slope.fill(0);
    if (near) addQuadraticGradient(this.near.matrix, x, this.near.at, near, slope);
    if (far) addQuadraticGradient(this.far.matrix, x, this.far.at, far, slope);
    return this.map ? pullBackVector(this.map, slope).a : slope.slice();
  }
}
