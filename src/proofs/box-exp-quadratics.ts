/**
 * Sums of exponentials of quadratics over a box: is  log Σ_j exp w_j(x) <= 0  at every point, or >= 0?
 *
 *   bound    over a part of the box  L_j <= w_j <= U_j  (box-quadratics.ts), rounding included:
 *            log Σ exp w_j <= log Σ exp U_j,     and >= log Σ exp L_j
 *   split    the column along which the exponents change most, in two
 *
 * The exponents meet their bounds at different points, which requires more parts. The number of parts grows with the number of columns.
 */
import { logSumExp } from '../linalg/vector.js';
import { DistanceDifference } from '../models/distance-difference.js';
import { sumDoubt } from '../models/exponents.js';
import { type ExpQuadratics, halfValues } from '../models/region.js';
import type { BoxVerdict } from '../policy/box-verdict.js';
import { lastWithin } from '../policy/values.js';
import type { Box } from './box.js';
import { type Intervals, middle, valuesAt, withoutChoices } from './box-corners.js';
import type { BoxEffort } from './box-effort.js';
import { QuadraticOverBox } from './box-quadratics.js';

export class ExponentsOverBox {
  /** The forms 2 w_j where the sum has to be small, -2 w_j where it has to be large. */
  private readonly ends: readonly QuadraticOverBox[];
  private readonly sign: 1 | -1;
  private readonly doubt: number;

  constructor(private readonly sum: ExpQuadratics) {
    this.sign = sum.atLeast ? -1 : 1;
    this.ends = sum.forms.map((form) => new QuadraticOverBox(sum.atLeast ? reversed(form) : form));
    this.doubt = sumDoubt(sum);
  }

  prove(box: Box, effort: BoxEffort): BoxVerdict {
    const open = withoutChoices(box.domain);
    if (!open) return 'unknown';
    const work = this.ends.reduce((total, { lookWork }) => total + lookWork, 0);
    while (open.length) {
      if (!effort.take(work)) return 'unknown';
      const part = open.pop()!;
      if (this.isBounded(part)) continue;
      const point = valuesAt(
        part.lo.map((low, c) => middle(low, part.hi[c])),
        box,
      );
      if (this.miss(point) > 0) return { point };
      const halves = this.halves(part, box);
      if (!halves) return 'unknown';
      open.push(...halves);
    }
    return 'proved';
  }

  private isBounded(part: Intervals): boolean {
    const most = Float64Array.from(this.ends, (end) => 0.5 * this.sign * end.most(part));
    return this.sign * logSumExp(most) + this.doubt < 0;
  }

  /** Above 0 if the claim fails at a point. */
  private miss(x: Float64Array): number {
    return this.sign * logSumExp(halfValues(this.sum.forms, x));
  }

  /** Null: no split is left, or a part has an infinite end. */
  private halves({ lo, hi }: Intervals, { domain }: Box): Intervals[] | null {
    const i = this.widest(lo, hi);
    if (i < 0 || !(hi[i] - lo[i] < Infinity)) return null;
    const feature = domain.space.features[domain.space.owner[i]];
    const cut = lo[i] + 0.5 * (hi[i] - lo[i]);
    const [end, start] = [lastWithin(domain, feature, cut, 1), lastWithin(domain, feature, cut, -1)];
    if (!(end >= lo[i] && end < hi[i] && start > lo[i] && start <= hi[i])) return null;
    return [
      { lo: lo.slice(), hi: hi.with(i, end) },
      { lo: lo.with(i, start), hi: hi.slice() },
    ];
  }

  /** The column along which the exponents change most; -1: no exponent changes. */
  private widest(lo: Float64Array, hi: Float64Array): number {
    const at = lo.map((low, c) => middle(low, hi[c]));
    const slopes = this.sum.forms.map((form) => form.gradient(at));
    let [widest, most] = [-1, 0];
    for (let c = 0; c < lo.length; c++) {
      if (lo[c] === hi[c]) continue;
      const change = slopes.reduce((sum, slope) => sum + Math.abs(slope[c]), Number.MIN_VALUE) * (hi[c] - lo[c]);
      if (change > most) [widest, most] = [c, change];
    }
    return widest;
  }
}

const reversed = ({ near, far, constant, map, size }: DistanceDifference): DistanceDifference =>
  new DistanceDifference(far, near, -constant, map, size);
