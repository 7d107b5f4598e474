/**
 * Policy entries by feature -> rules. A rule is static. A person's domain (domain.ts) holds the values that the rule permits for that
 * person. Every entry is checked here against its feature, and an error names the entry's path.
 */
import type { PlacedFault } from '../documents/error.js';
import { refuseFirst } from '../documents/faults/refusal.js';
import { didYouMean, listNames } from '../documents/nearest-name.js';
import type { FeatureRuleDocument, PolicyDocument } from '../documents/policy-document.js';
import { type Feature, type FeatureSpace, findCategory, listedNames } from '../models/features.js';
import { isLevered, leverFaults } from './levers.js';

export interface FeatureRule {
  readonly feature: Feature;
  readonly never: boolean;
  readonly mayIncrease: boolean;
  readonly mayDecrease: boolean;
  readonly min: number;
  readonly max: number;
  readonly maxIncrease: number;
  readonly maxDecrease: number;
  /** The change is a whole multiple of the step; 0: any change. Integers, booleans and ranks have 1 by default. */
  readonly step: number;
  /** Allowed categories by index (also of a boolean: [false, true]); null: all. */
  readonly allowed: Uint8Array | null;
}

export function compileRules(policy: PolicyDocument, space: FeatureSpace): FeatureRule[] {
  refuseFirst(ruleFaults(policy, space));
  refuseFirst(leverFaults(policy, space));
  return space.features.map((feature) => {
    const rule = compileRule(feature, ruleOf(policy, feature.name));
    return isLevered(policy, feature.name) ? rule : { ...rule, never: true, mayIncrease: false, mayDecrease: false };
  });
}

/** The entries that do not fit the features of a model. */
export function* ruleFaults(
  { features }: Pick<PolicyDocument, 'features'>,
  space: FeatureSpace,
  root = 'policy',
): Iterable<PlacedFault> {
  for (const [name, entry] of Object.entries(features)) {
    const path = `${root}.features.${name}`;
    const feature = space.byName.get(name);
    if (feature) yield* entryFaults(feature, entry, path);
    else yield { path, message: unknownFeature(name, space) };
  }
}

export function unknownFeature(name: string, { byName }: FeatureSpace): string {
  const hint = didYouMean(name, byName.keys());
  return hint ? `unknown feature${hint}` : 'the model has no such feature';
}

/** The rule of a feature as the policy gives it. Empty: the policy does not name the feature. */
export const ruleOf = ({ features }: Pick<PolicyDocument, 'features'>, name: string): FeatureRuleDocument =>
  Object.hasOwn(features, name) ? features[name] : {};

function compileRule(feature: Feature, entry: FeatureRuleDocument): FeatureRule {
  const change = entry.change ?? 'any';
  return {
    feature,
    never: change === 'never' || feature.isFixed === true,
    mayIncrease: change === 'any' || change === 'increase',
    mayDecrease: change === 'any' || change === 'decrease',
    min: Math.max(feature.min, entry.min ?? -Infinity),
    max: Math.min(feature.max, entry.max ?? Infinity),
    maxIncrease: entry.maxIncrease ?? Infinity,
    maxDecrease: entry.maxDecrease ?? Infinity,
    step: entry.step ?? (feature.kind === 'continuous' ? 0 : 1),
    allowed: entry.allow ? allowedMask(feature, entry.allow) : null,
  };
}

/** The keys of a rule that are for numbers. */
export const NUMERIC_ENTRIES = ['min', 'max', 'maxIncrease', 'maxDecrease', 'step'] as const;

function* entryFaults(feature: Feature, entry: FeatureRuleDocument, path: string): Iterable<PlacedFault> {
  const { name, kind } = feature;
  const fault = (key: string, message: string): PlacedFault => ({ path: `${path}.${key}`, message });
  if (feature.isFixed && (entry.change ?? 'never') !== 'never')
    yield fault('change', `the model's threshold depends on "${name}", and no answer changes it: set "never"`);
  const numeric = kind === 'continuous' || kind === 'integer';
  const kindName = kind === 'choice' ? 'categorical' : kind;
  for (const key of numeric ? [] : NUMERIC_ENTRIES.filter((entryKey) => entry[entryKey] !== undefined))
    yield fault(key, `is for numbers; "${name}" is ${kindName}: use allow or change`);
  if (numeric && entry.allow) yield fault('allow', `is for categories and booleans; use min and max for "${name}"`);
  if (!numeric) yield* allowFaults(feature, entry.allow ?? [], path);
  const directed = entry.change === 'increase' || entry.change === 'decrease';
  if (kind === 'choice' && directed)
    yield fault('change', `"${name}" has no order: use never, any, allow, or make it ordinal in the model`);
  if (kind === 'integer' && entry.step !== undefined && !Number.isInteger(entry.step))
    yield fault('step', `"${name}" is an integer, so its step must be one too`);
}

function categoryOf(feature: Feature, name: string | boolean): number | undefined {
  if (feature.kind !== 'boolean') return findCategory(feature, String(name));
  const index = listedNames(feature).indexOf(String(name));
  return index < 0 ? undefined : index;
}

function* allowFaults(feature: Feature, allow: readonly (string | boolean)[], path: string): Iterable<PlacedFault> {
  for (const [i, name] of allow.entries()) {
    if (categoryOf(feature, name) !== undefined) continue;
    const categories = listedNames(feature);
    const hint = didYouMean(String(name), categories) || `; known are ${listNames(categories)}`;
    yield { path: `${path}.allow[${i}]`, message: `unknown category "${name}"${hint}` };
  }
}

function allowedMask(feature: Feature, allow: readonly (string | boolean)[]): Uint8Array {
  const mask = new Uint8Array(listedNames(feature).length);
  for (const name of allow) mask[categoryOf(feature, name)!] = 1;
  return mask;
}
