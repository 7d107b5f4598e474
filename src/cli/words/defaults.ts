/** The choices that a policy leaves open (policy/defaults.ts), in words for the terminal. */
import { nameSome } from '../../documents/nearest-name.js';
import type { LoadedModel } from '../../models/load.js';
import { type Defaults, withDefaults } from '../../policy/defaults.js';
import type { Policy } from '../../policy/policy.js';

type Sentence = (names: string) => string;

/** In the order of the terminal. A sentence is left out when it has no names. */
const CHOICES: readonly (readonly [keyof Defaults, Sentence])[] = [
  [
    'bounded',
    (names) =>
      `The policy has no min or max for ${names}. Answers stay within the range of the background. --unbounded permits other values.`,
  ],
  [
    'listed',
    (names) =>
      `The policy has no allow for ${names}. Answers have only categories of the background. --unbounded permits all categories.`,
  ],
  [
    'unbounded',
    (names) =>
      `The policy has no min or max for ${names}, and the model document has no range. Answers may have any value. Write min and max into the policy.`,
  ],
  [
    'measured',
    () =>
      'The policy has no weights. The cost is in units of the median absolute deviation. --weights none uses the units of the data.',
  ],
  [
    'unmeasured',
    (names) =>
      `The policy has no weights, and the model document has no statistics for ${names}. One unit of these data costs 1. Write cost.weights into the policy.`,
  ],
];

export function defaultsInWords(defaults: Defaults): string[] {
  return CHOICES.filter(([key]) => defaults[key].length).map(([key, sentence]) => sentence(nameSome(defaults[key])));
}

/** Says on standard error which choices are made for the policy. */
export function tellDefaults(policy: Policy, model: LoadedModel): void {
  for (const text of defaultsInWords(withDefaults(policy, model).defaults)) process.stderr.write(`elsewise: ${text}\n`);
}
