/**
 * The range of a changed feature as a letter tells it: a part of the proved range R of the answer.
 *
 *   without the present value h    a range that holds h would call the present value a change. The part of R beyond h stays, on the side of
 *                                  the answer: from the next value of the feature, or open at h where every number is a value
 *   not before the answer a        only where the letter says that nothing smaller is enough. The proof has a tolerance of a millionth of the
 *                                  cost, and R may begin within it
 */
import type { CounterfactualDocument, RegionDocument } from '../../documents/result-document.js';
import { decimalSum } from '../../linalg/decimals.js';
import { nextDown, nextUp } from '../../linalg/floats.js';
import { lastDecimal } from '../../policy/lattice.js';
import { ruleOf } from '../../policy/rules.js';
import type { LetterContext } from './letter-context.js';

type Change = CounterfactualDocument['changes'][number];
type FeatureRange = RegionDocument['features'][string];

/** An end that the range itself does not have is open. */
export interface ToldRange {
  readonly from?: number;
  readonly to?: number;
  readonly open?: 'from' | 'to';
}

export type ToldValues = ToldRange | Extract<FeatureRange, { in: unknown }>;

/** Undefined: the answer's own value is all that the letter tells. */
export function toldRange(
  change: Change,
  region: RegionDocument | undefined,
  isSmallest: boolean,
  context: LetterContext,
): ToldValues | undefined {
  const { feature, from: now, to } = change;
  const range = region && Object.hasOwn(region.features, feature) ? region.features[feature] : undefined;
  if (!range) return undefined;
  if ('in' in range) {
    const others = range.in.filter((value) => value !== now);
    return others.length > 1 ? { in: others } : undefined;
  }
  if (typeof to !== 'number') return undefined;
  if (typeof now !== 'number' || now === to) return wide(range);
  return wide(isSmallest ? notBefore(range, now, to) : beyond(range, change.feature, { now, to }, context));
}

const wide = (range: ToldRange): ToldRange | undefined =>
  range.from === undefined || range.from !== range.to ? range : undefined;

function notBefore(range: ToldRange, now: number, to: number): ToldRange {
  return to > now
    ? { ...range, from: Math.max(range.from ?? -Infinity, to) }
    : { ...range, to: Math.min(range.to ?? Infinity, to) };
}

function beyond(
  range: ToldRange,
  feature: string,
  { now, to }: { now: number; to: number },
  context: LetterContext,
): ToldRange {
  const { from = -Infinity, to: end = Infinity } = range;
  if (now < from || now > end) return range;
  const side = to > now ? 1 : -1;
  const next = nextValue(feature, now, side, context);
  if (next === undefined) return side > 0 ? { ...range, from: now, open: 'from' } : { ...range, to: now, open: 'to' };
  // The answer itself is a value of its range, whatever the policy that this run was given.
  return side > 0 ? { ...range, from: Math.min(next, to) } : { ...range, to: Math.max(next, to) };
}

/** The value beside the present one. Undefined: every number is a value. */
function nextValue(name: string, now: number, side: 1 | -1, { names, policy }: LetterContext): number | undefined {
  const feature = names.find(name)?.document;
  const step = (policy && ruleOf(policy, name).step) ?? (feature?.type === 'integer' ? 1 : undefined);
  if (step !== undefined) return decimalSum(now, side * step);
  if (feature?.type !== 'continuous' || feature.decimals === undefined) return undefined;
  return lastDecimal(feature.decimals, side > 0 ? nextUp(now) : nextDown(now), -side as 1 | -1);
}
