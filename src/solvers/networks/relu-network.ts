/**
 * A network of relu units as linear functions that hold where the inputs of some units are known to lie between bounds:
 *
 *   h = max(0, z)      z >= 0: h = z      z <= 0: h = 0      lo <= z <= hi:  z, 0 <= h <= hi (z - lo) / (hi - lo)
 *
 *   a·h_l >= need   =>   u·x >= v        by substituting layer after layer, from the last one on (Zhang et al., CROWN)
 *
 * A unit with a positive coefficient is replaced by the chord above it. A unit with a negative coefficient is replaced by z or by 0,
 * whichever is larger at a given point: for one hidden layer that is the deepest cut at this point. Where no unit is free, u·x >= v is the
 * condition itself.
 */
import { pullBackVector } from '../../linalg/affine.js';
import type { LinearRow, NetworkAtom } from '../../models/region.js';

/** Σ a_i h_i >= need, over the units of a layer. Layer 0: the columns. */
export interface UnitCondition {
  readonly layer: number;
  readonly a: Float64Array;
  readonly need: number;
}

/** Bounds of the inputs of all units, layer after layer. */
export interface UnitBounds {
  readonly lo: Float64Array;
  readonly hi: Float64Array;
}

interface ReluLayer {
  readonly weights: readonly Float64Array[];
  readonly bias: Float64Array;
  /** The index of its first unit among all units. */
  readonly first: number;
  readonly isLinear: boolean;
}

export class ReluNetwork {
  readonly units: number;
  readonly layers: readonly ReluLayer[];
  private readonly widest: number;
  /** Scratch: coefficients, and their sizes. */
  private readonly coefficients: [Float64Array, Float64Array];
  private readonly sizes: [Float64Array, Float64Array];

  constructor(
    { layers, map }: NetworkAtom,
    private readonly columns: number,
  ) {
    let first = 0;
    this.layers = layers.map(({ weights, bias, activation }, l) => {
      const pulled = l === 0 && map ? weights.map((row) => pullBackVector(map, row)) : null;
      const layer = {
        weights: pulled?.map(({ a }) => a) ?? weights,
        bias: pulled ? bias.map((b, i) => b + pulled[i].shift) : bias,
        first,
        isLinear: activation === 'identity',
      };
      first += bias.length;
      return layer;
    });
    this.units = first;
    this.widest = Math.max(columns, ...layers.map(({ bias }) => bias.length));
    const scratch = () => new Float64Array(this.widest);
    this.coefficients = [scratch(), scratch()];
    this.sizes = [scratch(), scratch()];
  }

  /** Multiply-adds of a run. */
  get flops(): number {
    return this.layers.reduce((sum, { weights }) => sum + weights.length * weights[0].length, 0);
  }

  layerOf(unit: number): number {
    return this.layers.findLastIndex(({ first }) => first <= unit);
  }

  /** The inputs of all units at x. */
  run(x: Float64Array, z: Float64Array): void {
    for (let l = 0; l < this.layers.length; l++) {
      const { weights, bias, first } = this.layers[l];
      const before = l ? this.layers[l - 1] : null;
      for (let i = 0; i < bias.length; i++) {
        const row = weights[i];
        let sum = bias[i];
        for (let j = 0; j < row.length; j++) sum += row[j] * (before ? this.answer(l - 1, z[before.first + j]) : x[j]);
        z[first + i] = sum;
      }
    }
  }

  /** The output of a unit of a layer for its input. */
  answer(l: number, z: number): number {
    return this.layers[l].isLinear ? z : Math.max(0, z);
  }

  /** The activations of layer l (1: the first hidden one) where the inputs are z. */
  activations(l: number, z: Float64Array): Float64Array {
    const { bias, first } = this.layers[l - 1];
    return Float64Array.from(bias, (_, i) => this.answer(l - 1, z[first + i]));
  }

  /** The condition that the input of a unit is at least 0, or (sign -1) at most 0. */
  phaseOf(unit: number, sign: 1 | -1): UnitCondition {
    const layer = this.layerOf(unit);
    const { weights, bias, first } = this.layers[layer];
    const row = weights[unit - first];
    return { layer, a: sign > 0 ? row : row.map((w) => -w), need: -sign * bias[unit - first] };
  }

  /**
   * A row of x that the condition implies within the bounds. Null: a unit has no upper bound. `z`: the inputs of all units at the point to
   * cut at. `lost`: by unit, the distance of the chord above the unit there, times its coefficient.
   */
  substitute(
    { layer, a, need }: UnitCondition,
    { lo, hi }: UnitBounds,
    z: Float64Array,
    lost?: Float64Array,
  ): LinearRow | null {
    let [coefficient, next] = this.coefficients;
    let [size, nextSize] = this.sizes;
    coefficient.set(a);
    for (let i = 0; i < a.length; i++) size[i] = Math.abs(a[i]);
    let [constant, total] = [need, Math.abs(need)];
    for (let l = layer - 1; l >= 0; l--) {
      const { weights, bias, first, isLinear } = this.layers[l];
      const width = weights[0].length;
      next.fill(0, 0, width);
      nextSize.fill(0, 0, width);
      for (let i = 0; i < bias.length; i++) {
        const c = coefficient[i];
        if (c === 0) continue;
        const u = first + i;
        let [slope, shift] = [1, 0];
        if (!isLinear && !(lo[u] >= 0)) {
          if (hi[u] <= 0) continue;
          if (c < 0) {
            if (!(z[u] > 0)) continue;
          } else {
            [slope, shift] = chordOf(lo[u], hi[u]);
            if (shift === Infinity) return null;
            if (lost) lost[u] = c * (slope * z[u] + shift - Math.max(0, z[u]));
          }
        }
        constant -= c * (slope * bias[i] + shift);
        total += size[i] * (slope * Math.abs(bias[i]) + Math.abs(shift));
        const row = weights[i];
        const [factor, absolute] = [c * slope, size[i] * slope];
        for (let j = 0; j < width; j++) {
          next[j] += factor * row[j];
          nextSize[j] += absolute * Math.abs(row[j]);
        }
      }
      [coefficient, next] = [next, coefficient];
      [size, nextSize] = [nextSize, size];
    }
    const arithmetic = { terms: size.slice(0, this.columns), constant: total };
    return { a: coefficient.slice(0, this.columns), lower: constant, upper: Infinity, arithmetic };
  }
}

/** The chord over relu between two inputs, as slope and shift. Shift Infinity: no chord exists. */
function chordOf(lo: number, hi: number): [number, number] {
  if (hi === Infinity) return [1, -lo];
  if (lo === -Infinity) return [0, hi];
  const slope = hi / (hi - lo);
  return [slope, -slope * lo];
}
