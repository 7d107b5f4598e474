/** What a case may ask of a policy, by name: so that every family and norm meets every entry. */
import { kindOf, numberOf } from '../evaluate/features.js';
import { choicesOf } from '../judge/knowledge.js';
import type { RuleSpec } from '../policy/values.js';
import type { Case } from '../question.js';
import { Question } from '../question.js';
import { type CaseOptions, drawCase } from './case.js';

const anyRule = (asked: Case, holds: (rule: RuleSpec) => boolean): boolean =>
  Object.values(asked.policy.features ?? {}).some(holds);

const constraintLike = (asked: Case, pattern: RegExp): boolean =>
  (asked.policy.constraints ?? []).some((text) => pattern.test(text));

/** Whether a case has the entry. */
export type Entry = (asked: Case) => boolean;

export const ENTRIES: Record<string, Entry> = {
  'plain bounds of the model': ({ policy }) => !Object.keys(policy.features ?? {}).length,
  never: (asked) => anyRule(asked, ({ change }) => change === 'never'),
  direction: (asked) => anyRule(asked, ({ change }) => change === 'increase' || change === 'decrease'),
  'min or max': (asked) => anyRule(asked, ({ min, max }) => min !== undefined || max !== undefined),
  'maxIncrease or maxDecrease': (asked) =>
    anyRule(asked, ({ maxIncrease, maxDecrease }) => maxIncrease !== undefined || maxDecrease !== undefined),
  step: (asked) => anyRule(asked, ({ step }) => step !== undefined && !Number.isInteger(step)),
  decimals: ({ model }) => model.features.some(({ decimals }) => decimals !== undefined),
  allow: (asked) => anyRule(asked, ({ allow }) => allow !== undefined),
  categories: ({ model }) => model.features.some((feature) => kindOf(feature) === 'one-hot'),
  ranks: ({ model }) => model.features.some((feature) => kindOf(feature) === 'ordinal'),
  'a linear constraint': (asked) => constraintLike(asked, /^[^a-z]*f\d[^o]*$/),
  'a logical constraint': (asked) => constraintLike(asked, / or | implies |not \(/),
  maxChanges: ({ policy }) => policy.maxChanges !== undefined,
  count: ({ policy }) => (policy.count ?? 1) > 1,
  region: ({ policy }) => policy.region === true,
  'a missing value': ({ model, row }) =>
    model.features.some((feature) => Number.isNaN(numberOf(feature, row[feature.name]))),
  preprocessing: ({ model }) => model.preprocessing?.some(({ type }) => type !== 'impute') ?? false,
  plausibility: ({ policy }) => policy.plausibility !== undefined,
};

/** Entries that only classifiers have, or only families with scores to speak of. */
export const TARGET_ENTRIES: Record<string, Entry> = {
  margin: ({ policy }) => (policy.margin ?? 0) > 0,
  'an interval': ({ policy }) => typeof policy.target === 'object' && !Array.isArray(policy.target),
  'a list of classes': ({ policy }) => Array.isArray(policy.target),
};

const MOST_DRAWS = 2000;

/** The first case from an index on that has an entry, lacks the target, and can be tried in full; null where there is none. */
export function drawWith(entry: Entry, seed: number, options: CaseOptions): Case | null {
  for (let index = 0; index < MOST_DRAWS; index++) {
    const asked = drawCase(seed, index, options);
    if (!entry(asked)) continue;
    const question = new Question(asked);
    if (choicesOf(question) && question.hasTarget(question.factual) === 'no') return asked;
  }
  return null;
}
