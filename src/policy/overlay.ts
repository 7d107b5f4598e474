/**
 * A person's own wishes on top of a policy. With the values P_f(x) that the policy permits for a person x, and the values W_f(x) of the
 * wishes, by feature f:
 *
 *   permitted_f(x)  =  P_f(x) ∩ W_f(x)   ⊆   P_f(x)
 *
 * The intersection is made entry by entry: the stricter entry stays. Both sets have the present value of the person. Where nothing else
 * is common to both, the feature stays as it is. `difficulty` multiplies the weights of the cost: it orders answers and permits none. An
 * entry that is wider than the entry of the policy is refused, because the person would expect it to count.
 */
import type { PlacedFault } from '../documents/error.js';
import type {
  FeatureRuleDocument,
  OverlayDocument,
  OverlayRule,
  PolicyDocument,
} from '../documents/policy-document.js';
import type { FeatureSpace } from '../models/features.js';
import { ruleFaults, ruleOf, unknownFeature } from './rules.js';

type Change = NonNullable<FeatureRuleDocument['change']>;

/** The policy with the wishes as entries. `overlay` stays, for the weights. */
export function underOverlay(policy: PolicyDocument): PolicyDocument {
  const { overlay } = policy;
  if (!overlay) return policy;
  const rules = Object.entries(overlay.features).map(
    ([name, wish]) => [name, intersect(ruleOf(policy, name), wish)] as const,
  );
  return {
    ...policy,
    features: { ...policy.features, ...Object.fromEntries(rules) },
    maxChanges: stricter(Math.min, policy.maxChanges, overlay.maxChanges),
    count: overlay.count ?? policy.count,
    region: overlay.region ?? policy.region,
  };
}

/** The factor of a feature's weight. */
export function difficultyOf({ overlay }: Pick<PolicyDocument, 'overlay'>, feature: string): number {
  const factors = overlay?.difficulty ?? {};
  return Object.hasOwn(factors, feature) ? factors[feature] : 1;
}

function intersect(rule: FeatureRuleDocument, wish: OverlayRule): FeatureRuleDocument {
  const both: FeatureRuleDocument = {
    ...rule,
    change: wish.change === undefined ? rule.change : common(rule.change ?? 'any', wish.change),
    min: stricter(Math.max, rule.min, wish.min),
    max: stricter(Math.min, rule.max, wish.max),
    maxIncrease: stricter(Math.min, rule.maxIncrease, wish.maxIncrease),
    maxDecrease: stricter(Math.min, rule.maxDecrease, wish.maxDecrease),
    allow: commonValues(rule.allow, wish.allow),
  };
  const isEmpty = both.min !== undefined && both.max !== undefined && both.min > both.max;
  return withoutGaps(isEmpty ? { change: 'never' } : both);
}

/** A key without a value is no entry of the policy. */
const withoutGaps = (rule: FeatureRuleDocument): FeatureRuleDocument =>
  Object.fromEntries(Object.entries(rule).filter(([, value]) => value !== undefined));

function common(one: Change, other: Change): Change {
  if (one === other || other === 'any') return one;
  return one === 'any' ? other : 'never';
}

const stricter = (choose: (a: number, b: number) => number, one: number | undefined, other: number | undefined) =>
  one === undefined || other === undefined ? (one ?? other) : choose(one, other);

const commonValues = (one: OverlayRule['allow'], other: OverlayRule['allow']): OverlayRule['allow'] =>
  one && other ? one.filter((value) => includes(other, value)) : (one ?? other);

/** A boolean may be written as text. */
const includes = (values: readonly (string | boolean)[], value: string | boolean): boolean =>
  values.some((other) => String(other) === String(value));

/** The wishes that do not fit the features of a model. */
export function* wishFaults({ overlay }: Pick<PolicyDocument, 'overlay'>, space: FeatureSpace): Iterable<PlacedFault> {
  if (!overlay) return;
  yield* ruleFaults(overlay, space, 'policy.overlay');
  for (const name of Object.keys(overlay.difficulty))
    if (!space.byName.has(name))
      yield { path: `policy.overlay.difficulty.${name}`, message: unknownFeature(name, space) };
}

/** The wishes that are wider than the policy, each with its place. `root`: the place of the policy. */
export function overlayFaults(policy: PolicyDocument, root: string): PlacedFault[] {
  const { overlay } = policy;
  if (!overlay) return [];
  const wide = Object.entries(overlay.features).flatMap(([name, wish]) =>
    widerEntries(ruleOf(policy, name), wish).map(([key, message]) => [`features.${name}.${key}`, message] as const),
  );
  return [...wide, ...widerCount(policy, overlay)].map(([key, message]) => ({
    path: `${root}.overlay.${key}`,
    message: `${message}: an overlay may only tighten the policy`,
  }));
}

type WiderEntry = readonly [key: string, message: string];

function widerCount({ maxChanges }: PolicyDocument, overlay: OverlayDocument): WiderEntry[] {
  return above('maxChanges', overlay.maxChanges, maxChanges);
}

function widerEntries(rule: FeatureRuleDocument, wish: OverlayRule): WiderEntry[] {
  const [own, wished] = [rule.change ?? 'any', wish.change];
  const isWider = wished !== undefined && common(own, wished) !== wished;
  const unknown = (wish.allow ?? []).filter((value) => rule.allow && !includes(rule.allow, value));
  return [
    ...(isWider ? [['change', `"${wished}" is wider than "${own}" of the policy`] as const] : []),
    ...above('max', wish.max, rule.max),
    ...above('maxIncrease', wish.maxIncrease, rule.maxIncrease),
    ...above('maxDecrease', wish.maxDecrease, rule.maxDecrease),
    ...(below(wish.min, rule.min) ? [['min', `${wish.min} is below ${rule.min} of the policy`] as const] : []),
    ...unknown.map((value) => ['allow', `the policy does not allow "${value}"`] as const),
  ];
}

const below = (wish: number | undefined, own: number | undefined): boolean =>
  wish !== undefined && own !== undefined && wish < own;

const above = (key: string, wish: number | undefined, own: number | undefined): WiderEntry[] =>
  below(own, wish) ? [[key, `${wish} is above ${own} of the policy`]] : [];
