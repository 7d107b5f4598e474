/**
 * Most rules give a number two ends and nothing else: no step, no decimals, no mask and no limit of the change. With h the present value:
 *
 *   lower = min(h, low)    upper = max(h, high)    low = Infinity or high = -Infinity: the number stays on that side
 *
 * Domains are filled for every row, and a rule is spread over the memory. The ends of the plain rules therefore stand in lists.
 */
import type { FeatureRule } from './rules.js';

export interface PlainEnds {
  /** The feature and the column of each plain rule. */
  readonly features: Int32Array;
  readonly columns: Int32Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** The rules that are not plain. */
  readonly others: readonly FeatureRule[];
}

const known = new WeakMap<readonly FeatureRule[], PlainEnds>();

export function plainEndsOf(rules: readonly FeatureRule[]): PlainEnds {
  const ends = known.get(rules) ?? findPlainEnds(rules);
  known.set(rules, ends);
  return ends;
}

function findPlainEnds(rules: readonly FeatureRule[]): PlainEnds {
  const plain = rules.filter(isPlain);
  return {
    features: Int32Array.from(plain, ({ feature }) => feature.index),
    columns: Int32Array.from(plain, ({ feature }) => feature.column),
    low: Float64Array.from(plain, (rule) => (maySink(rule) ? rule.min : Infinity)),
    high: Float64Array.from(plain, (rule) => (mayRise(rule) ? rule.max : -Infinity)),
    others: rules.filter((rule) => !isPlain(rule)),
  };
}

function isPlain(rule: FeatureRule): boolean {
  const { feature, step, allowed, maxIncrease, maxDecrease } = rule;
  if (feature.kind !== 'continuous' || feature.decimals >= 0 || step > 0 || allowed) return false;
  return (!maySink(rule) || maxDecrease === Infinity) && (!mayRise(rule) || maxIncrease === Infinity);
}

const maySink = ({ never, mayDecrease }: FeatureRule): boolean => !never && mayDecrease;
const mayRise = ({ never, mayIncrease }: FeatureRule): boolean => !never && mayIncrease;
