/**
 * Sums of exponentials that have to be large, which is not convex:  Σ_j exp w_j >= 1.  The region is divided by the largest exponent and by
 * the distances of the others from it:
 *
 *   a part (j, l, h)     l_i <= w_i - w_j <= h_i <= 0   for all i
 *   in it                exp(-w_j)  <=  1 + Σ_i exp(w_i - w_j)  <=  1 + Σ_i chord_i(w_i - w_j)        the chord of exp over [l_i, h_i]
 *   tangent at z         exp(-z) (1 + z - w_j)  <=  exp(-w_j)
 *
 * Both together are linear in w and hold for every point of the part. A part is split where a chord is furthest from its exponential:
 * at the relaxed point itself, where both halves are exact.
 */
export interface LeadPart {
  readonly leader: number;
  /** By exponent: the ends of w_i - w_j; the leader's own are 0. */
  readonly low: Float64Array;
  readonly high: Float64Array;
}

/** A condition  Σ a_j w_j <= level. */
export interface ExponentCut {
  readonly a: Float64Array;
  readonly level: number;
}

/** Every exponent as the largest. */
export const leadParts = (count: number): LeadPart[] =>
  Array.from({ length: count }, (_, leader) => ({
    leader,
    low: new Float64Array(count).fill(Number.NEGATIVE_INFINITY).fill(0, leader, leader + 1),
    high: new Float64Array(count),
  }));

/** The ends of a part, and the tangent at the least w_j that the chords allow. */
export function* partCuts({ leader, low, high }: LeadPart): Generator<ExponentCut> {
  for (let i = 0; i < low.length; i++) {
    if (i === leader) continue;
    yield { a: difference(low.length, i, leader), level: high[i] };
    if (low[i] > Number.NEGATIVE_INFINITY) yield { a: difference(low.length, leader, i), level: -low[i] };
  }
  yield chordCut({ leader, low, high }, -Math.log(sumOver(high, Math.exp)));
}

function difference(count: number, plus: number, minus: number): Float64Array {
  const a = new Float64Array(count);
  a[plus] = 1;
  a[minus] = -1;
  return a;
}

/** The amount by which the chords miss the bound at w, in logarithms. Above 0 a tangent is missing. */
export const chordMiss = (part: LeadPart, w: Float64Array): number => -w[part.leader] - Math.log(chordSum(part, w));

/** The tangent at the w_j that the chords require at w. */
export const missingCut = (part: LeadPart, w: Float64Array): ExponentCut =>
  chordCut(part, -Math.log(chordSum(part, w)));

/** exp(-z) (1 + z - w_j) <= 1 + Σ_i (α_i + β_i (w_i - w_j)), scaled by exp(z) */
function chordCut(part: LeadPart, z: number): ExponentCut {
  const { leader, low } = part;
  const scale = Math.exp(z);
  const a = new Float64Array(low.length);
  let level = scale - 1 - z;
  for (let i = 0; i < low.length; i++) {
    if (i === leader) continue;
    const { slope, offset } = chordOf(part, i);
    a[i] = -scale * slope;
    a[leader] += scale * slope;
    level += scale * offset;
  }
  a[leader] -= 1;
  return { a, level };
}

/** 1 + Σ_i chord_i(w_i - w_j). Points slightly outside the part count as on its ends. */
function chordSum(part: LeadPart, w: Float64Array): number {
  const { leader, low } = part;
  let sum = 1;
  for (let i = 0; i < low.length; i++) {
    if (i === leader) continue;
    const { slope, offset } = chordOf(part, i);
    sum += offset + slope * behind(part, w, i);
  }
  return sum;
}

const behind = ({ leader, low, high }: LeadPart, w: Float64Array, i: number): number =>
  slopeless(low[i], Math.min(high[i], w[i] - w[leader]));

/** A lead with an infinite end has a chord of slope 0, so any finite number will do. */
const slopeless = (low: number, value: number): number => Math.max(low, Number.isFinite(value) ? value : -1e300);

/** The chord of exp over the part's interval, rounded up. */
function chordOf({ low, high }: LeadPart, i: number): { slope: number; offset: number } {
  const top = Math.exp(high[i]) * (1 + ROUNDING);
  const slope = high[i] > low[i] ? (top - Math.exp(low[i])) / (high[i] - low[i]) : 0;
  return { slope, offset: top - slope * high[i] };
}

const ROUNDING = 2 ** -50;

/** Splits a part in two at the exponent whose chord is furthest from it at w. Null: no chord is further than `near`. */
export function splitPart(part: LeadPart, w: Float64Array, near: number): [LeadPart, LeadPart] | null {
  const { leader, low, high } = part;
  let [widest, most] = [-1, near];
  for (let i = 0; i < low.length; i++) {
    if (i === leader) continue;
    const { slope, offset } = chordOf(part, i);
    const v = behind(part, w, i);
    const gap = offset + slope * v - Math.exp(v);
    if (gap > most && v > low[i] && v < high[i]) [widest, most] = [i, gap];
  }
  if (widest < 0) return null;
  const at = behind(part, w, widest);
  return [
    { ...part, high: high.with(widest, at) },
    { ...part, low: low.with(widest, at) },
  ];
}

function sumOver(values: Float64Array, of: (value: number) => number): number {
  return values.reduce((sum, value) => sum + of(value), 0);
}
