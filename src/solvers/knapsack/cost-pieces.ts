/**
 * The cost of moving a number by t to a side, in pieces  c0 + c1 t + c2 t²  that follow one another:
 *
 *   l0   c0 = w        l1   c1 = w        l2   c2 = w        percentile   lines, bent where the distribution function is
 */
import type { Feature } from '../../models/features.js';
import type { Cost, PercentileCurve } from '../../policy/cost.js';

export class CostPieces {
  count = 0;
  /** By piece: where it ends. The last piece has no end. */
  end = new Float64Array(8);
  c0 = new Float64Array(8);
  c1 = new Float64Array(8);
  c2 = new Float64Array(8);

  constructor(private readonly cost: Cost) {}

  begin(feature: Feature, here: number, side: number): void {
    const { norm, weight, curves } = this.cost;
    const w = weight[feature.index];
    const curve = norm === 'percentile' ? curves[feature.index] : null;
    this.count = 0;
    if (curve) this.addCurve(curve, w, here, side);
    else this.add(Infinity, norm === 'l0' ? w : 0, norm === 'l0' || norm === 'l2' ? 0 : w, norm === 'l2' ? w : 0);
  }

  private addCurve({ points, heights }: PercentileCurve, w: number, here: number, side: number): void {
    const last = points.length - 1;
    const mean = (heights[last] - heights[0]) / (points[last] - points[0]);
    let at = 0;
    let base = 0;
    for (
      let k = side > 0 ? firstAbove(points, here) : firstAbove(points, here, true) - 1;
      k >= 0 && k <= last;
      k += side
    ) {
      const before = k - side;
      const isOutside = before < 0 || before > last;
      const slope = w * (isOutside ? mean : (heights[k] - heights[before]) / (points[k] - points[before]));
      const amount = (points[k] - here) * side;
      this.add(amount, base - slope * at, slope, 0);
      base += slope * (amount - at);
      at = amount;
    }
    this.add(Infinity, base - w * mean * at, w * mean, 0);
  }

  private add(end: number, c0: number, c1: number, c2: number): void {
    if (this.count === this.end.length) this.grow();
    const k = this.count++;
    this.end[k] = end;
    this.c0[k] = c0;
    this.c1[k] = c1;
    this.c2[k] = c2;
  }

  private grow(): void {
    for (const name of ['end', 'c0', 'c1', 'c2'] as const) {
      const larger = new Float64Array(2 * this[name].length);
      larger.set(this[name]);
      this[name] = larger;
    }
  }
}

/** The first point above a number; with `orAt` the first point that is not below it. */
function firstAbove(points: Float64Array, x: number, orAt = false): number {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (orAt ? points[middle] >= x : points[middle] > x) high = middle;
    else low = middle + 1;
  }
  return low;
}
