/**
 * Policy entries by feature -> rules. A rule is static. A person's domain (domain.ts) holds the values that the rule permits for that
 * person. Every entry is checked here against its feature, and an error names the entry's path.
 */
import { ElsewiseError } from '../documents/error.js';
import { didYouMean, listNames } from '../documents/nearest-name.js';
import type { FeatureRuleDocument, PolicyDocument } from '../documents/policy-document.js';
import { type Feature, type FeatureSpace, findCategory } from '../models/features.js';
import { checkLevers, isLevered } from './levers.js';

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
  for (const name of Object.keys(policy.features)) {
    if (space.byName.has(name)) continue;
    const hint = didYouMean(name, space.byName.keys());
    throw policyError(`features.${name}`, hint ? `unknown feature${hint}` : 'the model has no such feature');
  }
  checkLevers(policy, space);
  return space.features.map((feature) => {
    const rule = compileRule(feature, ruleOf(policy, feature.name));
    return isLevered(policy, feature.name) ? rule : { ...rule, never: true, mayIncrease: false, mayDecrease: false };
  });
}

/** The rule of a feature as the policy gives it. Empty: the policy does not name the feature. */
export const ruleOf = ({ features }: Pick<PolicyDocument, 'features'>, name: string): FeatureRuleDocument =>
  Object.hasOwn(features, name) ? features[name] : {};

const policyError = (path: string, message: string) => new ElsewiseError('bad-document', message, `policy.${path}`);

function compileRule(feature: Feature, entry: FeatureRuleDocument): FeatureRule {
  checkEntry(feature, entry);
  const change = entry.change ?? 'any';
  return {
    feature,
    never: change === 'never',
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

const NUMERIC_ENTRIES = ['min', 'max', 'maxIncrease', 'maxDecrease', 'step'] as const;

function checkEntry(feature: Feature, entry: FeatureRuleDocument): void {
  const path = `features.${feature.name}`;
  const numeric = feature.kind === 'continuous' || feature.kind === 'integer';
  if (!numeric) {
    const wrong = NUMERIC_ENTRIES.find((key) => entry[key] !== undefined);
    if (wrong)
      throw policyError(
        `${path}.${wrong}`,
        `is for numbers; "${feature.name}" is ${feature.kind === 'choice' ? 'categorical' : feature.kind}: use allow or change`,
      );
  }
  if (numeric && entry.allow)
    throw policyError(`${path}.allow`, `is for categories and booleans; use min and max for "${feature.name}"`);
  const directed = entry.change === 'increase' || entry.change === 'decrease';
  if (feature.kind === 'choice' && directed) {
    throw policyError(
      `${path}.change`,
      `"${feature.name}" has no order: use never, any, allow, or make it ordinal in the model`,
    );
  }
  if (entry.min !== undefined && entry.max !== undefined && entry.min > entry.max) {
    throw policyError(`${path}.min`, `${entry.min} is above max ${entry.max}`);
  }
  if (feature.kind === 'integer' && entry.step !== undefined && !Number.isInteger(entry.step)) {
    throw policyError(`${path}.step`, `"${feature.name}" is an integer, so its step must be one too`);
  }
}

/** A boolean's values as categories. */
const TRUTH: ReadonlyMap<string, number> = new Map([
  ['false', 0],
  ['true', 1],
]);

function allowedMask(feature: Feature, allow: readonly (string | boolean)[]): Uint8Array {
  const isBoolean = feature.kind === 'boolean';
  const categories = isBoolean ? [...TRUTH.keys()] : feature.categories;
  const find = (name: string) => (isBoolean ? TRUTH.get(name) : findCategory(feature, name));
  const mask = new Uint8Array(categories.length);
  for (const [i, name] of allow.entries()) {
    const index = find(String(name));
    if (index === undefined) {
      const hint = didYouMean(String(name), categories) || `; known are ${listNames(categories)}`;
      throw policyError(`features.${feature.name}.allow[${i}]`, `unknown category "${name}"${hint}`);
    }
    mask[index] = 1;
  }
  return mask;
}
