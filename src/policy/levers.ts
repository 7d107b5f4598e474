/**
 * Levers: named groups of features. The answers of a lever change only features of its group:
 *
 *   policy of lever L  =  the policy with `"change": "never"` for every feature outside L
 *
 * A document with one lever is the policy of that lever. Under a document with several levers the features of all groups may change.
 */
import { ElsewiseError } from '../documents/error.js';
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

export function checkLevers({ levers = {} }: PolicyDocument, { byName }: FeatureSpace): void {
  for (const [lever, group] of Object.entries(levers)) {
    const wrong = group.findIndex((name) => !byName.has(name));
    if (wrong < 0) continue;
    const hint = didYouMean(group[wrong], byName.keys());
    const message = hint ? `unknown feature "${group[wrong]}"${hint}` : `the model has no feature "${group[wrong]}"`;
    throw new ElsewiseError('bad-document', message, `policy.levers.${lever}[${wrong}]`);
  }
}
