/**
 * Quadratics over a box: is  q(x) < 0  at every point, as the model computes its two distances?  q is neither convex nor concave: branch
 * and bound on the maximum of
 *
 *   q̂(x) = q(x) + h (D(x - μ) + D'(x - ν) + size)                                                     (rounding.ts)
 *
 *   bound     around a point c of the box:  q̂(c) + Σ_i max_d (g_i d + H_ii d²) + Σ_{i≠j} |H_ij| h_i h_j;   exact when H is diagonal
 *   monotone  a column whose slope keeps its sign over the box has its maximum at an end; if all columns do: a corner, exact
 *   convex    a column with H_ii >= 0 has its maximum at one of both ends, whatever the others are
 *   concave   else the box is cut in two
 */
import { nextUp } from '../linalg/floats.js';
import { pullBackMatrix } from '../linalg/symmetric-matrix.js';
import type { DistanceDifference } from '../models/distance-difference.js';
import type { BoxVerdict } from '../policy/box-verdict.js';
import type { Domain } from '../policy/domain.js';
import { lastWithin } from '../policy/values.js';
import { FLOPS_PER_UNIT } from '../problems/budget.js';
import type { Box } from './box.js';
import { type Intervals, middle, valuesAt, withoutChoices } from './box-corners.js';
import type { BoxEffort } from './box-effort.js';
import { roundingShare, sizesOf } from './rounding.js';

const ROUNDING = 2 ** -52;
/** Operations of one look at a part, for each entry of the matrix. */
const FLOPS_PER_ENTRY = 8;
/** How often a point of an unbounded part is searched further out, by a factor of FURTHER each time. */
const MOST_REACHES = 24;
const FURTHER = 8;

export class QuadraticOverBox {
  private readonly size: number;
  /** h, and the sizes of which h is a share: D, D' and the constant. */
  private readonly hair: number;
  private readonly sizes: DistanceDifference;
  /** Half the second derivative of q̂, row-major over columns. */
  private readonly H: Float64Array;

  constructor(private readonly q: DistanceDifference) {
    const { near, far, map } = q;
    this.hair = roundingShare(q);
    this.sizes = sizesOf(q);
    const [ofNear, ofFar] = [pullBackMatrix(near.matrix, map), pullBackMatrix(far.matrix, map)];
    const diagonals = [this.sizes.near, this.sizes.far].map(({ matrix }) => pullBackMatrix(matrix, map));
    this.size = Math.round(Math.sqrt(ofNear.length));
    this.H = ofNear.map((value, k) => value - ofFar[k] + this.hair * (diagonals[0][k] + diagonals[1][k]));
  }

  /** Units of effort for one look at a part. */
  get lookWork(): number {
    return (FLOPS_PER_ENTRY * this.H.length) / FLOPS_PER_UNIT;
  }

  prove(box: Box, effort: BoxEffort): BoxVerdict {
    const open = withoutChoices(box.domain);
    if (!open) return 'unknown';
    while (open.length) {
      if (!effort.take(this.lookWork)) return 'unknown';
      const part = open.pop()!;
      if (this.most(part) < 0) continue;
      const endless = this.settleMonotone(part);
      if (endless >= 0) return this.farOut(part, endless, box);
      const split = this.choose(part);
      if (split < 0) {
        if (this.raised(part.lo) < 0) continue;
        return { point: valuesAt(part.lo, box) };
      }
      const halves = this.bend(split) >= 0 ? this.bothEnds(part, split) : this.halves(part, split, box.domain);
      if (!halves) return this.farOut(part, split, box);
      open.push(...halves);
    }
    return 'proved';
  }

  /** q̂ */
  private raised(x: Float64Array): number {
    return this.q.value(x) + this.hair * this.sizes.magnitude(x);
  }

  private slope(x: Float64Array): Float64Array {
    const own = this.q.gradient(x);
    const [near, far] = [this.sizes.nearGradient(x), this.sizes.farGradient(x)];
    return own.map((value, i) => value + this.hair * (near[i] + far[i]));
  }

  /** The size of the terms that cancel in each slope. */
  private slopeSizes(x: Float64Array): Float64Array {
    const [near, far] = [this.q.nearGradient(x), this.q.farGradient(x)];
    return near.map((value, i) => Math.abs(value) + Math.abs(far[i]));
  }

  /** An upper bound of q̂ over the part, including the rounding of this sum. */
  most({ lo, hi }: Intervals): number {
    const c = lo.map((low, i) => middle(low, hi[i]));
    const reach = lo.map((low, i) => Math.max(c[i] - low, hi[i] - c[i]));
    const [g, sizes] = [this.slope(c), this.slopeSizes(c)];
    let bound = this.raised(c);
    let terms = this.sizes.magnitude(c);
    for (let i = 0; i < this.size && bound < Infinity; i++) {
      if (lo[i] === hi[i]) continue;
      const bend = this.bend(i);
      bound += mostAlong(g[i], bend, lo[i] - c[i], hi[i] - c[i]);
      const far = Number.isFinite(reach[i]) ? reach[i] : finiteReach(g[i], bend, lo[i] - c[i], hi[i] - c[i]);
      terms += (sizes[i] + Math.abs(bend) * far) * far;
      for (let j = 0; j < this.size; j++) {
        const coupling = Math.abs(this.H[i * this.size + j]);
        if (j === i || lo[j] === hi[j] || coupling === 0) continue;
        bound += coupling * reach[i] * reach[j];
        terms += coupling * reach[i] * reach[j];
      }
    }
    // Infinite terms give an infinite bound.
    return Number.isFinite(terms) ? bound + ROUNDING * (this.size + 4) * terms : Infinity;
  }

  /**
   * Puts columns whose slope keeps its sign over the part at their worst end. All columns of one round are judged over the same part: a
   * slope that keeps its sign there keeps its sign on every face of the part. Returns a column with an infinite worst end; -1: none.
   */
  private settleMonotone({ lo, hi }: Intervals): number {
    for (;;) {
      const c = lo.map((low, i) => middle(low, hi[i]));
      const [g, sizes] = [this.slope(c), this.slopeSizes(c)];
      const settled: [column: number, worst: number][] = [];
      for (let i = 0; i < this.size; i++) {
        if (lo[i] === hi[i]) continue;
        const [least, most] = this.slopeRange(i, g[i], sizes[i], c, lo, hi);
        if (least >= 0) settled.push([i, most === 0 ? c[i] : hi[i]]);
        else if (most <= 0) settled.push([i, lo[i]]);
      }
      if (!settled.length) return -1;
      const endless = settled.find(([, worst]) => !Number.isFinite(worst));
      if (endless) return endless[0];
      for (const [i, worst] of settled) lo[i] = hi[i] = worst;
    }
  }

  /** `at`: the slope at c. `terms`: the size of its terms. */
  private slopeRange(
    i: number,
    at: number,
    terms: number,
    c: Float64Array,
    lo: Float64Array,
    hi: Float64Array,
  ): [number, number] {
    let [least, most, size] = [at, at, terms];
    for (let j = 0; j < this.size; j++) {
      const rate = 2 * this.H[i * this.size + j];
      if (lo[j] === hi[j] || rate === 0) continue;
      const ends = [rate * (lo[j] - c[j]), rate * (hi[j] - c[j])];
      least += Math.min(...ends);
      most += Math.max(...ends);
      for (const end of ends) if (Number.isFinite(end)) size += Math.abs(end);
    }
    const rounding = ROUNDING * (this.size + 4) * size;
    return [least - rounding, most + rounding];
  }

  /** A point of an unbounded part, far enough out along a column to fail. */
  private farOut({ lo, hi }: Intervals, i: number, box: Box): BoxVerdict {
    const { domain } = box;
    const x = lo.map((low, j) => middle(low, hi[j]));
    const start = x[i];
    const feature = domain.space.features[domain.space.owner[i]];
    const sides = ([1, -1] as const).filter((side) => !Number.isFinite(side > 0 ? hi[i] : lo[i]));
    for (let k = 0, reach = Math.max(1, Math.abs(start)); k < MOST_REACHES; k++, reach *= FURTHER) {
      for (const side of sides) {
        x[i] = lastWithin(domain, feature, start + side * reach, side);
        if (Number.isFinite(x[i]) && this.q.value(x) > 0) return { point: valuesAt(x, box) };
      }
    }
    return 'unknown';
  }

  /** The column to split: a convex one, else the one that bends most; -1: none is left. */
  private choose({ lo, hi }: Intervals): number {
    let best = -1;
    let most = -Infinity;
    for (let i = 0; i < this.size; i++) {
      if (lo[i] === hi[i]) continue;
      const bend = this.bend(i);
      if (bend >= 0) return i;
      const depth = -bend * (hi[i] - lo[i]) ** 2;
      if (depth > most) [best, most] = [i, depth];
    }
    return best;
  }

  private bend(i: number): number {
    return this.H[i * this.size + i];
  }

  /** Null: an end is infinite. */
  private bothEnds({ lo, hi }: Intervals, i: number): Intervals[] | null {
    if (!(Number.isFinite(lo[i]) && Number.isFinite(hi[i]))) return null;
    return [
      { lo: lo.slice(), hi: hi.with(i, lo[i]) },
      { lo: lo.with(i, hi[i]), hi: hi.slice() },
    ];
  }

  /** Cuts at values of the domain, so that every corner of a part is a point of the box. */
  private halves({ lo, hi }: Intervals, i: number, box: Domain): Intervals[] {
    const feature = box.space.features[box.space.owner[i]];
    const cut = this.cutOf(lo, hi, i);
    const end = lastWithin(box, feature, cut, 1);
    const start = lastWithin(box, feature, cut, -1);
    return [
      { lo: lo.slice(), hi: hi.with(i, Math.max(lo[i], end)) },
      { lo: lo.with(i, start > end ? start : lastWithin(box, feature, nextUp(cut), -1)), hi: hi.slice() },
    ].filter((part) => part.lo[i] <= part.hi[i]);
  }

  /** The middle. For an unbounded interval, a point well beyond the top of the parabola. */
  private cutOf(lo: Float64Array, hi: Float64Array, i: number): number {
    const c = middle(lo[i], hi[i]);
    if (Number.isFinite(lo[i]) && Number.isFinite(hi[i])) return c;
    const at = lo.map((low, j) => middle(low, hi[j]));
    const top = c - this.slope(at)[i] / (2 * this.H[i * this.size + i]);
    const reach = 2 * Math.max(1, Math.abs(c), Math.abs(top - c));
    if (hi[i] === Infinity) return lo[i] === -Infinity ? top : Math.max(c, top) + reach;
    return Math.min(c, top) - reach;
  }
}

/** max of g d + h d² for low <= d <= high */
function mostAlong(g: number, h: number, low: number, high: number): number {
  const at = (d: number) => (Number.isFinite(d) ? d * (g + h * d) : towardsInfinity(g, h, d));
  const top = h < 0 ? -g / (2 * h) : Number.NaN;
  const ends = Math.max(at(low), at(high));
  return top > low && top < high ? Math.max(ends, at(top)) : ends;
}

/** The distance of the finite ends and the top of a parabola, over an unbounded interval: its greatest value lies there. */
function finiteReach(g: number, h: number, low: number, high: number): number {
  const places = [low, high, h < 0 ? -g / (2 * h) : 0].map(Math.abs);
  return Math.max(...places.filter(Number.isFinite), 0);
}

function towardsInfinity(g: number, h: number, d: number): number {
  const lead = h !== 0 ? h : g * Math.sign(d);
  return lead === 0 ? 0 : lead * Infinity;
}
