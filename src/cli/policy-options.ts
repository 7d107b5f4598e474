/** The policy on the command line: a file or a reference to the registry, and options that override parts of the policy. */
import { ElsewiseError } from '../documents/error.js';
import { readTargetsText, readTargetText } from '../jobs/rows/row.js';
import type { LoadedModel } from '../models/load.js';
import { defaultPolicy, loadPolicy } from '../policy/policy.js';
import type { VersionedPolicy } from '../store/registry/policy-store.js';
import { type OpenStore, readPolicyDocument, storeAt } from './documents.js';
import type { OptionTable, OptionValues } from './options.js';

export const POLICY_OPTIONS = {
  policy: {
    kind: 'text',
    value: 'FILE|REF',
    help: 'the policy: a file, or name[@version|@alias] in the registry;\nwithout a policy every feature may change',
  },
  target: {
    kind: 'text',
    value: 'T',
    help: 'the wanted class, a JSON list of classes, a number, or {"from": 0.6, "to": 1};\nreplaces the target of the policy; the target of a row replaces both',
  },
  targets: {
    kind: 'text',
    value: 'A,B,C',
    help: 'several targets, best first, each with its own answers: classes or bands, or a JSON list;\nreplaces the targets of the policy',
  },
  norm: {
    kind: 'choice',
    choices: ['l0', 'l1', 'l2', 'mahalanobis', 'percentile'],
    help: 'how changes are measured: docs/costs.md',
  },
  weights: {
    kind: 'choice',
    choices: ['none', 'mad', 'std'],
    help: 'the unit of each feature: 1, the median deviation, or the standard deviation\n(mad if the background has statistics, else none)',
  },
  unbounded: {
    kind: 'flag',
    help: 'numbers without min or max may leave the range of the background, and categories without allow need not occur there',
  },
  count: {
    kind: 'whole',
    value: 'K',
    min: 1,
    help: 'the K cheapest answers; each changes other features, or the same features far apart',
  },
  region: { kind: 'flag', help: 'also write a box for each answer; every point of the box is an answer' },
  reasons: {
    kind: 'choice',
    choices: ['population', 'accepted', 'best'],
    help: 'also name the features that cost a rejected row most, compared with rows of the background,\nwith the nearest accepted row, or with the best values: docs/reasons.md',
  },
  'deadline-ms': { kind: 'number', value: 'N', min: 1, help: 'time limit of one row, in milliseconds' },
  effort: {
    kind: 'number',
    value: 'N',
    min: 1,
    help: 'limit of counted work for one row (250 units for each millisecond of its time limit)',
  },
  gap: {
    kind: 'number',
    value: 'G',
    min: 0,
    help: 'stop when a cheaper answer is proved to save at most this share of the cost (0)',
  },
  seed: { kind: 'whole', value: 'N', min: 0, help: 'the seed of solvers that draw random numbers' },
} as const satisfies OptionTable;

type Given = OptionValues<typeof POLICY_OPTIONS> & { readonly redis: string | undefined };

/** The policy keeps its version only while no option changes its content. */
export async function readPolicy(
  options: Given,
  model: Pick<LoadedModel, 'classes'>,
  openStore: OpenStore = storeAt(options.redis),
): Promise<VersionedPolicy> {
  const given = options.policy === undefined ? defaultPolicy() : await readPolicyDocument(options.policy, openStore);
  const { norm, weights, unbounded, count, region, reasons, 'deadline-ms': deadlineMs, effort, gap, seed } = options;
  const policy = loadPolicy({
    ...given.document,
    ...namedTargets(options, model.classes),
    ...(region && { region }),
    ...(unbounded && { unbounded }),
    ...(reasons && { reasons: { ...given.document.reasons, reference: reasons } }),
    ...defined({ count, deadlineMs, effort, gap, seed }),
    cost: { ...given.document.cost, ...defined({ norm, weights }) },
  });
  return policy.digest === given.digest ? given : policy;
}

/** One target, or several, in place of those of the policy. */
function namedTargets({ target, targets }: Pick<Given, 'target' | 'targets'>, classes: readonly string[]): object {
  if (target !== undefined && targets !== undefined)
    throw new ElsewiseError('usage', 'give --target or --targets, not both');
  if (targets !== undefined) return { target: undefined, targets: readTargetsText(targets, classes) };
  return target ? { target: readTargetText(target, classes), targets: undefined } : {};
}

function defined<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
}
