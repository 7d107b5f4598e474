/**
 * Quadratics over a box: is  q(x) <= 0  at every point?  q is neither convex nor concave: branch and bound on its maximum.
 *
 *   bound     around a point c of the box:  q(c) + Σ_i max_d (g_i d + H_ii d²) + Σ_{i≠j} |H_ij| h_i h_j;   exact when H is diagonal
 *   monotone  a column whose slope keeps its sign over the box has its maximum at an end; all columns so: a corner, exact
 *   convex    a column with H_ii >= 0 has its maximum at one of both ends, whatever the others are
 *   concave   else the box is cut in two
 *
 * Rounding: the near distance counts a hair more and the far one a hair less, so that what is proved holds for computed values at
 * every point of the box, however far out.
 */
import { nextUp } from '../linalg/floats.js';
import { pullBackMatrix } from '../linalg/symmetric-matrix.js';
import type { DistanceDifference } from '../models/distance-difference.js';
import type { BoxVerdict } from '../policy/box-verdict.js';
import type { Domain } from '../policy/domain.js';
import { lastWithin } from '../policy/values.js';
import { type Intervals, withoutChoices } from './box-corners.js';
import type { BoxEffort } from './box-effort.js';

const ROUNDING = 2 ** -50;

export class QuadraticOverBox {
  private readonly size: number;
  private readonly hair: number;
  /** Half the second derivative, row-major over columns. */
  private readonly H: Float64Array;

  constructor(private readonly q: DistanceDifference) {
    const near = pullBackMatrix(q.near.matrix, q.map);
    const far = pullBackMatrix(q.far.matrix, q.map);
    this.size = Math.round(Math.sqrt(near.length));
    this.hair = ROUNDING * (q.near.at.length + 8);
    this.H = near.map((value, k) => (1 + this.hair) * value - (1 - this.hair) * far[k]);
  }

  prove(box: Domain, effort: BoxEffort): BoxVerdict {
    const open = withoutChoices(box);
    if (!open) return 'unknown';
    while (open.length) {
      if (!effort.take()) return 'unknown';
      const part = open.pop()!;
      if (this.boundedBy(part)) continue;
      if (!this.settleMonotone(part)) return 'refuted';
      const split = this.choose(part);
      if (split < 0) {
        if (this.raised(part.lo) <= 0) continue;
        return this.q.value(part.lo) > this.hair * this.q.magnitude(part.lo) ? 'refuted' : 'unknown';
      }
      const halves = this.bend(split) >= 0 ? this.bothEnds(part, split) : this.halves(part, split, box);
      if (!halves) return this.bend(split) > 0 ? 'refuted' : 'unknown';
      open.push(...halves);
    }
    return 'proved';
  }

  /** q with its hair. */
  private raised(x: Float64Array): number {
    return this.q.value(x) + this.hair * this.q.magnitude(x);
  }

  private slope(x: Float64Array): Float64Array {
    const near = this.q.nearGradient(x);
    const far = this.q.farGradient(x);
    return near.map((value, i) => (1 + this.hair) * value - (1 - this.hair) * far[i]);
  }

  private boundedBy({ lo, hi }: Intervals): boolean {
    const c = lo.map((low, i) => middle(low, hi[i]));
    const g = this.slope(c);
    let bound = this.raised(c);
    for (let i = 0; i < this.size && bound < Infinity; i++) {
      if (lo[i] === hi[i]) continue;
      bound += mostAlong(g[i], this.H[i * this.size + i], lo[i] - c[i], hi[i] - c[i]);
      for (let j = 0; j < this.size; j++) {
        const coupling = Math.abs(this.H[i * this.size + j]);
        if (j === i || lo[j] === hi[j] || coupling === 0) continue;
        bound += coupling * Math.max(c[i] - lo[i], hi[i] - c[i]) * Math.max(c[j] - lo[j], hi[j] - c[j]);
      }
    }
    return bound <= 0;
  }

  /** Puts columns whose slope keeps its sign at their worst end. False: that end is infinitely bad. */
  private settleMonotone({ lo, hi }: Intervals): boolean {
    for (let again = true; again; ) {
      again = false;
      const c = lo.map((low, i) => middle(low, hi[i]));
      const g = this.slope(c);
      for (let i = 0; i < this.size; i++) {
        if (lo[i] === hi[i]) continue;
        const [least, most] = this.slopeRange(i, g[i], c, lo, hi);
        if (least < 0 && most > 0) continue;
        const worst = least >= 0 ? hi[i] : lo[i];
        if (!Number.isFinite(worst)) return false;
        lo[i] = hi[i] = worst;
        again = true;
      }
    }
    return true;
  }

  private slopeRange(i: number, at: number, c: Float64Array, lo: Float64Array, hi: Float64Array): [number, number] {
    let [least, most] = [at, at];
    for (let j = 0; j < this.size; j++) {
      const rate = 2 * this.H[i * this.size + j];
      if (lo[j] === hi[j] || rate === 0) continue;
      const ends = [rate * (lo[j] - c[j]), rate * (hi[j] - c[j])];
      least += Math.min(...ends);
      most += Math.max(...ends);
    }
    return [least, most];
  }

  /** The column to split: a convex one, else the one that bends most; -1: there is none left. */
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

  /** Cut at values of the domain, so that every corner of a part is a point of the box. */
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

  /** The middle; of what has none, well beyond the top of the parabola. */
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

/** A finite point of an interval: the middle, or the finite end, or 0. */
function middle(lo: number, hi: number): number {
  if (lo === hi) return lo;
  if (lo > -Infinity) return hi < Infinity ? lo + 0.5 * (hi - lo) : lo;
  return hi < Infinity ? hi : 0;
}

/** max of g d + h d² for low <= d <= high */
function mostAlong(g: number, h: number, low: number, high: number): number {
  const at = (d: number) => (Number.isFinite(d) ? d * (g + h * d) : towardsInfinity(g, h, d));
  const top = h < 0 ? -g / (2 * h) : Number.NaN;
  const ends = Math.max(at(low), at(high));
  return top > low && top < high ? Math.max(ends, at(top)) : ends;
}

function towardsInfinity(g: number, h: number, d: number): number {
  const lead = h !== 0 ? h : g * Math.sign(d);
  return lead === 0 ? 0 : lead * Infinity;
}
