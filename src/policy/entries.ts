/**
 * The entries of a policy that can block an answer, by path, and the policy with only some of them.
 *
 * Two entries of the same text are two entries: a constraint that is given twice counts twice. Other parts always stay: the target, the
 * cost, and the model document's own types, bounds, decimals and categories.
 */
import type { FeatureRuleDocument, PolicyDocument } from '../documents/policy-document.js';
import type { FeatureSpace } from '../models/features.js';
import { isDecimal } from './lattice.js';
import { ruleOf } from './rules.js';

const ruleEntry = (name: string, key: string): string => `features.${name}.${key}`;
export const leverEntry = (name: string): string => `levers.${name}`;
const constraintEntry = (index: number): string => `constraints[${index}]`;

/** The paths of all entries, in the order of the document. */
export function entriesOf(policy: PolicyDocument): string[] {
  const ofFeatures = Object.entries(policy.features).flatMap(([name, rule]) =>
    givenKeys(rule).map((key) => ruleEntry(name, key)),
  );
  const ofConstraints = policy.constraints.map((_, index) => constraintEntry(index));
  const others = [
    ...(policy.maxChanges === undefined ? [] : ['maxChanges']),
    ...(policy.margin === 0 ? [] : ['margin']),
    ...(isLimit(policy.plausibility) ? ['plausibility'] : []),
  ];
  const ofLevers = Object.keys(policy.levers ?? {}).map(leverEntry);
  return [...ofFeatures, ...ofLevers, ...ofConstraints, ...others];
}

/** The same policy with only these of its entries. */
export function withOnly(policy: PolicyDocument, kept: ReadonlySet<string>): PolicyDocument {
  const { maxChanges, margin, plausibility } = policy;
  const levers = Object.entries(policy.levers ?? {}).filter(([name]) => kept.has(leverEntry(name)));
  return {
    ...policy,
    features: Object.fromEntries(
      Object.entries(policy.features).map(([name, rule]) => [name, ruleWithOnly(name, rule, kept)]),
    ),
    levers: levers.length ? Object.fromEntries(levers) : undefined,
    constraints: policy.constraints.filter((_, index) => kept.has(constraintEntry(index))),
    maxChanges: kept.has('maxChanges') ? maxChanges : undefined,
    margin: kept.has('margin') ? margin : 0,
    plausibility: kept.has('plausibility') || !isLimit(plausibility) ? plausibility : withoutLimit(plausibility),
  };
}

type PlausibilityEntry = PolicyDocument['plausibility'];

/** Whether plausibility is a limit. A term of the cost forbids nothing. */
const isLimit = (plausibility: PlausibilityEntry): boolean =>
  plausibility !== undefined && (plausibility.atLeast !== undefined || plausibility.weight === undefined);

/** The term of the cost stays. */
const withoutLimit = (plausibility: PlausibilityEntry): PlausibilityEntry =>
  plausibility?.weight === undefined ? undefined : { ...plausibility, atLeast: undefined };

function ruleWithOnly(name: string, rule: FeatureRuleDocument, kept: ReadonlySet<string>): FeatureRuleDocument {
  return Object.fromEntries(Object.entries(rule).filter(([key]) => kept.has(ruleEntry(name, key))));
}

const givenKeys = (rule: FeatureRuleDocument): string[] =>
  Object.entries(rule)
    .filter(([, value]) => value !== undefined)
    .map(([key]) => key);

/**
 * The entries whose removal forbids some values and allows others: without its step a feature takes the values of its decimals, which may
 * not include the values of the step. All other entries only forbid.
 */
export function exchangingEntries(policy: PolicyDocument, space: FeatureSpace, values: Float64Array): string[] {
  return space.features
    .filter(({ name, index, kind, decimals }) => {
      const { step } = ruleOf(policy, name);
      if (step === undefined || kind !== 'continuous' || decimals < 0 || Number.isNaN(values[index])) return false;
      return !isDecimal(decimals, step) || !isDecimal(decimals, values[index]);
    })
    .map(({ name }) => ruleEntry(name, 'step'));
}
