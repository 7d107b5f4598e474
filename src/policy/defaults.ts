/**
 * The safe defaults of a policy, written into its document as entries:
 *
 *   min_f, max_f   of a number f without that bound: the smallest and the largest value of f in the background
 *   allow_f        of categories or a boolean f without `allow`: the values with a share in the background
 *   weights        of l1 and l2 without weights: those of `mad` for features whose spread is known, and 1 for the others
 *
 * The wishes of an overlay tighten these entries (overlay.ts).
 *
 * `unbounded` and `"weights": "none"` switch the defaults off. A bound in the policy or in the model document stays. Without a background
 * nothing is known, and nothing is written.
 */

import { refuseFirst } from '../documents/faults/refusal.js';
import type { FeatureRuleDocument, PolicyDocument } from '../documents/policy-document.js';
import type { Background } from '../models/background.js';
import { type Feature, type FeatureSpace, listedNames } from '../models/features.js';
import { spreadIn, weightBySpread } from './cost.js';
import { isLevered } from './levers.js';
import { underOverlay, wishFaults } from './overlay.js';
import type { Policy } from './policy.js';
import { ruleOf } from './rules.js';

/** The numbers that may change, by the choices that the policy leaves open. */
export interface Defaults {
  /** The names of features that got a bound. */
  readonly bounded: readonly string[];
  /** The names of features some of whose categories no row of the background has. */
  readonly listed: readonly string[];
  /** The names of features that have no bound on a side, and no range in the background. */
  readonly unbounded: readonly string[];
  /** The names of features that are measured in units of their MAD. */
  readonly measured: readonly string[];
  /** The names of features without weight and without a known spread. */
  readonly unmeasured: readonly string[];
}

/** A policy whose document has the defaults as entries. The digest is that of the given document. */
export interface SettledPolicy extends Policy {
  readonly defaults: Defaults;
}

interface Population {
  readonly space: FeatureSpace;
  readonly background: Background;
}

export function withDefaults(policy: Policy, { space, background }: Population): SettledPolicy {
  const given = policy.document;
  refuseFirst(wishFaults(given, space));
  const numbers = space.features.filter(({ kind }) => kind === 'continuous' || kind === 'integer');
  const bounds = given.unbounded ? NO_BOUNDS : defaultBounds(given, numbers, background);
  const lists = given.unbounded ? NO_LISTS : defaultLists(given, space.features, background);
  const measures = defaultWeights(given, numbers, background);
  const document = underOverlay({
    ...given,
    features: { ...given.features, ...Object.fromEntries(bounds.rules), ...Object.fromEntries(lists) },
    cost: { ...given.cost, weights: measures.weights },
  });
  const changeable = (names: readonly string[]) => names.filter((name) => mayChange(given, name));
  const defaults = {
    bounded: changeable(bounds.known),
    listed: changeable([...lists.keys()]),
    unbounded: changeable(bounds.unknown),
    measured: changeable(measures.known),
    unmeasured: changeable(measures.unknown),
  };
  return { ...policy, document, defaults };
}

const mayChange = (policy: PolicyDocument, name: string): boolean =>
  ruleOf(policy, name).change !== 'never' && isLevered(policy, name);

interface Bounds {
  /** By name of the feature, with the added bounds. */
  readonly rules: ReadonlyMap<string, FeatureRuleDocument>;
  /** The names of features that can reach an added bound, and of features that can leave a range that is not known. */
  readonly known: readonly string[];
  readonly unknown: readonly string[];
}

const NO_BOUNDS: Bounds = { rules: new Map(), known: [], unknown: [] };

/** Features that may not change get bounds as well: an analysis may ask about the policy without that entry. */
function defaultBounds(policy: PolicyDocument, numbers: readonly Feature[], background: Background): Bounds {
  const rules = new Map<string, FeatureRuleDocument>();
  const known: string[] = [];
  const unknown: string[] = [];
  for (const feature of numbers) {
    const rule = ruleOf(policy, feature.name);
    const [min, max] = [rule.min ?? finite(feature.min), rule.max ?? finite(feature.max)];
    if (min !== undefined && max !== undefined) continue;
    const seen = background.quantiles(feature);
    if (seen) rules.set(feature.name, { ...rule, ...openEnds(min, max, seen) });
    const isOpen =
      (min === undefined && rule.change !== 'increase') || (max === undefined && rule.change !== 'decrease');
    if (isOpen) (seen ? known : unknown).push(feature.name);
  }
  return { rules, known, unknown };
}

const finite = (end: number): number | undefined => (Number.isFinite(end) ? end : undefined);

/** The ends of the background where a bound is missing. A given bound beyond the background is also the end of the other side. */
const openEnds = (min: number | undefined, max: number | undefined, seen: readonly number[]) => ({
  ...(min === undefined && { min: Math.min(seen[0], max ?? Infinity) }),
  ...(max === undefined && { max: Math.max(seen[seen.length - 1], min ?? -Infinity) }),
});

type Lists = ReadonlyMap<string, FeatureRuleDocument>;

const NO_LISTS: Lists = new Map();

/** The rules of features with a value that no row of the background has. */
function defaultLists(policy: PolicyDocument, features: readonly Feature[], background: Background): Lists {
  const rules = new Map<string, FeatureRuleDocument>();
  for (const feature of features) {
    const shares = background.shares(feature);
    const rule = ruleOf(policy, feature.name);
    if (!shares || rule.allow || !shares.includes(0)) continue;
    rules.set(feature.name, { ...rule, allow: listedNames(feature).filter((_, k) => shares[k] > 0) });
  }
  return rules;
}

function defaultWeights({ cost }: PolicyDocument, numbers: readonly Feature[], background: Background) {
  const { norm, weights } = cost;
  if (weights !== undefined || (norm !== 'l1' && norm !== 'l2'))
    return { weights: weights ?? 'none', known: [], unknown: [] };
  const factors: Record<string, number> = {};
  const unknown: string[] = [];
  for (const feature of numbers) {
    const spread = spreadIn('mad', feature, background);
    if (spread === undefined) unknown.push(feature.name);
    else factors[feature.name] = weightBySpread(norm, spread);
  }
  const known = Object.keys(factors);
  return { weights: known.length ? factors : ('none' as const), known, unknown };
}
