/**
 * Narrows a part to the moves and options that an answer cheaper than the incumbent may have (reduced costs):
 *
 *   L(λ) - least_f + value_f(x_f)  is at least the incumbent's cost       =>   x_f is in no better answer of the part
 *
 * Options are dropped one by one. An interval of a continuous feature loses its ends by halves, as long as the whole lost piece is proved. The
 * ends of other intervals stay values of the feature.
 */
import type { Domain } from '../../policy/domain.js';
import { isContinuous } from '../../policy/values.js';
import type { AdditiveTerms, ListedFeature } from './additive-terms.js';
import type { Lagrangian, Part } from './lagrangian.js';

/** Tests of the pieces at one end of an interval. */
const TESTS = 5;
/** Rounding of the sum of a bound and a value. */
const ROUNDING = 2 ** -49;

/** Whether no answer with this bound is worth finding. */
type IsClosed = (bound: number) => boolean;

export interface Narrowed {
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly open: readonly (Uint8Array | null)[];
}

/** Uses the values of the features in the last proof of `bound` at λ. Null: a feature has nothing left, and the part is closed. */
export function narrowed(
  lagrangian: Lagrangian,
  { features }: AdditiveTerms,
  domain: Domain,
  lambda: Float64Array,
  part: Part,
  bound: number,
  isClosed: IsClosed,
): Narrowed | null {
  const proved = lagrangian.proved.slice();
  const [low, high, open] = [part.low.slice(), part.high.slice(), [...part.open]];
  for (let f = 0; f < features.length; f++) {
    const own = features[f];
    const rest = bound - proved[f];
    const isLost = (value: number) => isClosed(rest + value - ROUNDING * (Math.abs(rest) + Math.abs(value)));
    if (own.kind === 'list') {
      const kept = keptOptions(lagrangian, own, lambda, open[f], isLost);
      if (!kept) return null;
      open[f] = kept;
    } else if (low[f] < high[f] && isContinuous(domain, own.feature)) {
      const isPieceLost = (from: number, to: number) =>
        isLost(lagrangian.proveWithin(own, lambda, from, to, part.changed[f]));
      high[f] = shrunk(high[f], low[f], isPieceLost);
      low[f] = shrunk(low[f], high[f], isPieceLost);
    }
  }
  return { low, high, open };
}

/** The options left. Null: none. */
function keptOptions(
  lagrangian: Lagrangian,
  own: ListedFeature,
  lambda: Float64Array,
  open: Uint8Array | null,
  isLost: IsClosed,
): Uint8Array | null {
  const kept = open?.slice() ?? allOf(own);
  for (let k = 0; k < kept.length; k++) if (kept[k] && isLost(lagrangian.proveOption(own, k, lambda))) kept[k] = 0;
  return kept.includes(1) ? kept : null;
}

const allOf = ({ costs }: ListedFeature): Uint8Array => new Uint8Array(costs.length).fill(1);

/** The end of an interval after its pieces were lost. Only finite intervals shrink. */
function shrunk(end: number, other: number, isPieceLost: (from: number, to: number) => boolean): number {
  let at = end;
  let step = (other - end) / 2;
  for (let test = 0; Number.isFinite(step) && test < TESTS; test++) {
    const next = at + step;
    if (isPieceLost(Math.min(at, next), Math.max(at, next))) at = next;
    step /= 2;
  }
  return at;
}
