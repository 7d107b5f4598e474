/**
 * Levers: named groups of features. The answers of a lever change only features of its group:
 *
 *   policy of lever L  =  the policy with `"change": "never"` for every feature outside L
 *
 * A document with one lever is the policy of that lever. Under a document with several levers the features of all groups may change.
 */
import type { PlacedFault } from '../documents/error.js';
import { didYouMean } from '../documents/nearest-name.js';
import type { PolicyDocument } from '../documents/policy-document.js';
import type { FeatureSpace } from '../models/features.js';

/** The policy of one of its levers. */
export function underLever(policy: PolicyDocument, lever: string): PolicyDocument {
  return { ...policy, levers: { [lever]: policy.levers![lever] } };
}

/** Whether the levers permit a feature to change. */
export function isLevered({ levers }: Pick<PolicyDocument, 'levers'>, feature: string): boolean {
  return !levers || Object.values(levers).some((group) => group.includes(feature));
}

/** The names in levers that no feature of the model has. */
export function* leverFaults(
  { levers = {} }: Pick<PolicyDocument, 'levers'>,
  { byName }: FeatureSpace,
): Iterable<PlacedFault> {
  for (const [lever, group] of Object.entries(levers)) {
    for (const [i, name] of group.entries()) {
      if (byName.has(name)) continue;
      const hint = didYouMean(name, byName.keys());
      const message = hint ? `unknown feature "${name}"${hint}` : `the model has no feature "${name}"`;
      yield { path: `policy.levers.${lever}[${i}]`, message };
    }
  }
}
