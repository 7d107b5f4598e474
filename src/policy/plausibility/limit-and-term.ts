/** From a measure of plausibility to the limit and the term that a policy asks for. */
import type { PlausibilityDocument } from '../../documents/policy-document.js';
import { BackgroundValues, eased, spreadOf } from './background-columns.js';
import type { Measure, Plausibility, PlausibilityLimit, PlausibilityTerm } from './plausibility-measure.js';

/** The largest term. The sum of a cost and a term stays finite. */
const LARGEST_TERM = 1e300;

/** The relative rounding error of a bound on a penalty. */
const ROUNDING = 1e-9;

/** The options of a policy for a measure. */
export type AskedOf = Pick<PlausibilityDocument, 'atLeast' | 'weight'>;

/** A limit in closed form for a given need. */
export type DescribedLimit = (need: number) => Pick<PlausibilityLimit, 'atom' | 'holds'>;

/** `values` are the values of the background rows. Null: there is no background, and the policy has no limit. */
export function plausibilityBy(
  measure: Measure,
  { atLeast, weight }: AskedOf,
  values: readonly number[] | null,
  described?: DescribedLimit,
): Plausibility {
  const term = termOf(measure, weight);
  if (!values) return { limit: null, term };
  const background = new BackgroundValues(values.map(eased));
  const shareOf = (columns: Float64Array) => background.shareUpTo(measure.value(columns));
  if (atLeast === undefined) return { limit: null, term, shareOf };
  const need = background.quantile(atLeast);
  const limit = limitOf(measure, need, values, described);
  return { limit, term, shareOf: agreeing(shareOf, limit, background, need) };
}

/** A limit in closed form has its own arithmetic. The reported share is moved to the side of the need on which the limit decides. */
function agreeing(
  shareOf: (columns: Float64Array) => number,
  limit: PlausibilityLimit,
  background: BackgroundValues,
  need: number,
): (columns: Float64Array) => number {
  const [least, below] = [background.shareUpTo(need), background.shareBelow(need)];
  return (columns) => (limit.holds(columns) ? Math.max(shareOf(columns), least) : Math.min(shareOf(columns), below));
}

function limitOf(
  measure: Measure,
  need: number,
  values: readonly number[],
  described?: DescribedLimit,
): PlausibilityLimit {
  const spread = spreadOf(values.filter(Number.isFinite));
  const { slope } = measure;
  const gradient = (columns: Float64Array, out: Float64Array) => {
    slope!(columns, out);
    for (let c = 0; c < out.length; c++) out[c] /= spread;
  };
  return {
    ...(described?.(need) ?? { atom: null, holds: (columns) => measure.value(columns) >= need }),
    margin: (columns) => (measure.value(columns) - need) / spread,
    ...(slope && { gradient }),
    flops: measure.flops,
  };
}

export function termOf(measure: Measure, weight: number | undefined): PlausibilityTerm | null {
  if (weight === undefined) return null;
  const penalty = (columns: Float64Array) => finite(measure.penaltyOf(measure.value(columns)));
  const { slope, flops } = measure;
  const gradient = (columns: Float64Array, out: Float64Array) => {
    const factor = weight * measure.penaltySlope(measure.value(columns));
    slope!(columns, out);
    for (let c = 0; c < out.length; c++) out[c] *= factor;
  };
  return {
    penalty,
    of: (columns) => finite(weight * penalty(columns)),
    leastWithin: (lower, upper) =>
      measure.mostWithin ? finite(weight * measure.penaltyOf(measure.mostWithin(lower, upper))) * (1 - ROUNDING) : 0,
    gradient: slope ? gradient : null,
    flops,
  };
}

/** A value of NaN counts as least plausible. */
const finite = (penalty: number): number => (penalty < LARGEST_TERM ? Math.max(0, penalty) : LARGEST_TERM);
