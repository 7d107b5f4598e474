/** The second side of a comparison: options that change the policy or the model. */
import { ElsewiseError } from '../../documents/error.js';
import type { ComparedSide } from '../../jobs/comparison/compare-sides.js';
import { changeInWords, changePolicy } from '../../policy/change/change-policy.js';
import { readModel, readPolicyDocument, readPolicyJson, storeAt } from '../documents.js';
import type { OptionTable, OptionValues } from '../options.js';
import { MODEL_SOURCE } from '../store-options.js';

export const CHANGE_OPTIONS = {
  allow: {
    kind: 'text',
    value: 'ENTRY,...',
    help: 'the changed policy lacks these entries: features.collateral, maxChanges,\nconstraints[0]',
  },
  merge: {
    kind: 'text',
    value: 'FILE',
    help: 'the changed policy has the keys of this JSON merge patch; null removes a key',
  },
  'with-policy': { kind: 'text', value: 'FILE|REF', help: 'the changed policy' },
  'with-model': { ...MODEL_SOURCE, help: 'the second model' },
} as const satisfies OptionTable;

type Changes = OptionValues<typeof CHANGE_OPTIONS> & { readonly redis: string | undefined };

/** Options that name no change, or two that exclude each other, are refused before anything is read. */
export function refuseUnclearChange(changes: Changes): void {
  const given = Object.keys(CHANGE_OPTIONS).filter(
    (name) => changes[name as keyof typeof CHANGE_OPTIONS] !== undefined,
  );
  if (given.length === 0)
    throw new ElsewiseError('usage', 'no change is named: give --allow, --merge, --with-policy or --with-model');
  if (changes['with-policy'] !== undefined && given.some((name) => name === 'allow' || name === 'merge'))
    throw new ElsewiseError('usage', '--with-policy is the whole changed policy: leave out --allow and --merge');
}

/** The sides, and the change in words. */
export async function changedSide(
  before: ComparedSide,
  changes: Changes,
): Promise<{ readonly after: ComparedSide; readonly words: string }> {
  const { allow, merge, redis } = changes;
  const model = changes['with-model'] === undefined ? before.model : await readModel(changes['with-model'], redis);
  const names = allow?.split(',').map((name) => name.trim());
  const change = { allow: names, merge: merge === undefined ? undefined : await readPolicyJson(merge) };
  const isChanged = names !== undefined || merge !== undefined;
  const policy =
    changes['with-policy'] !== undefined
      ? await readPolicyDocument(changes['with-policy'], storeAt(redis))
      : isChanged
        ? changePolicy(before.policy.document, change, 'change')
        : before.policy;
  const parts = [
    changes['with-model'] === undefined ? '' : `Model ${changes['with-model']} in place of ${before.model.name}`,
    changes['with-policy'] === undefined ? '' : `Policy ${changes['with-policy']} in place of ${before.policy.name}`,
    isChanged ? `The policy${changeInWords(change)}` : '',
  ];
  return { after: { model, policy }, words: parts.filter(Boolean).join(', ') };
}
