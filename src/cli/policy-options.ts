/** The policy as the command line gives it: a file, and options that go over what the file says. */
import { loadPolicy, type Policy } from '../explain/policy.js';
import { readTargetText } from '../jobs/row.js';
import type { LoadedModel } from '../models/load.js';
import { readJson } from './documents.js';
import type { OptionTable, OptionValues } from './options.js';

export const POLICY_OPTIONS = {
  policy: { kind: 'text', value: 'FILE', help: 'who may change what at what cost; without it anything may change' },
  target: {
    kind: 'text',
    value: 'T',
    help: 'a class, a JSON list of classes, a number, or {"from": 0.6, "to": 1};\ngoes over the policy, a row\'s own target over both',
  },
  norm: { kind: 'choice', choices: ['l0', 'l1', 'l2', 'mahalanobis', 'percentile'], help: 'how changes are measured' },
  weights: { kind: 'choice', choices: ['none', 'mad', 'std'], help: 'in which units features are measured' },
  count: { kind: 'whole', value: 'K', min: 1, help: 'the K cheapest answers that change different features' },
  region: { kind: 'flag', help: 'with each answer, the box around it in which everything is one' },
  'deadline-ms': { kind: 'number', value: 'N', min: 1, help: 'time for one row' },
  seed: { kind: 'whole', value: 'N', min: 0, help: 'for solvers that draw random numbers' },
} as const satisfies OptionTable;

const DEFAULT_POLICY = { schema: 'elsewise.policy/v1', name: 'default' };

export async function readPolicy(options: OptionValues<typeof POLICY_OPTIONS>, model: LoadedModel): Promise<Policy> {
  const { document } = loadPolicy(options.policy === undefined ? DEFAULT_POLICY : await readJson(options.policy));
  const { target, norm, weights, count, region, 'deadline-ms': deadlineMs, seed } = options;
  return loadPolicy({
    ...document,
    ...(region && { region }),
    ...defined({ count, deadlineMs, seed, target: target && readTargetText(target, model.classes) }),
    cost: { ...document.cost, ...defined({ norm, weights }) },
  });
}

function defined<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
}
