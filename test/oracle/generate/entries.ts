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

const ENTRIES: Record<string, Entry> = {
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
  'an open end that decimals meet': (asked) => constraintLike(asked, /^f\d (<|>|!=) (-?[\d.]+ \* )?f\d/),
  'a logical constraint': (asked) => constraintLike(asked, / or | implies |not \(/),
  maxChanges: ({ policy }) => policy.maxChanges !== undefined,
  count: ({ policy }) => (policy.count ?? 1) > 1,
  region: ({ policy }) => policy.region === true,
  'a missing value': ({ model, row }) =>
    model.features.some((feature) => Number.isNaN(numberOf(feature, row[feature.name]))),
  preprocessing: ({ model }) => model.preprocessing?.some(({ type }) => type !== 'impute') ?? false,
  curves: ({ model }) => model.preprocessing?.some(({ type }) => type === 'monotone') ?? false,
  plausibility: ({ policy }) => policy.plausibility !== undefined,
};

/** Entries that only some families have. */
const TARGET_ENTRIES: Record<string, Entry> = {
  margin: ({ policy }) => (policy.margin ?? 0) > 0,
  'an interval': ({ policy }) => typeof policy.target === 'object' && !Array.isArray(policy.target),
  'a list of classes': ({ policy }) => Array.isArray(policy.target),
};

const REGRESSORS = ['linear-regression', 'poisson-regression', 'exponential-regression'];
/** Families of two classes: a list of them is every target there is. */
const PAIRS = ['hyperplane', 'logistic-regression', 'isolation-forest'];

/** Every entry that a question about a family may have. */
export function entriesOf(family: string): Record<string, Entry> {
  const isRegressor = REGRESSORS.includes(family);
  const lacks = (name: string) =>
    (name === 'margin' && isRegressor) ||
    (name === 'an interval' && family === 'lvq') ||
    (name === 'a list of classes' && (isRegressor || PAIRS.includes(family)));
  return { ...ENTRIES, ...Object.fromEntries(Object.entries(TARGET_ENTRIES).filter(([name]) => !lacks(name))) };
}

const MOST_DRAWS = 1000;

/**
 * Cases of a run that together have every entry, each with one at least that those before it lack. All of them lack the target and can
 * be tried in full. An entry that no case had is not among the keys.
 */
export function drawEntries(entries: Record<string, Entry>, seed: number, options: CaseOptions): Map<string, Case> {
  const found = new Map<string, Case>();
  const names = Object.keys(entries);
  for (let index = 0; index < MOST_DRAWS && found.size < names.length; index++) {
    const asked = drawCase(seed, index, options);
    const added = names.filter((name) => !found.has(name) && entries[name](asked));
    if (added.length && isGrid(asked)) for (const name of added) found.set(name, asked);
  }
  return found;
}

function isGrid(asked: Case): boolean {
  const question = new Question(asked);
  return choicesOf(question) !== null && question.hasTarget(question.factual) === 'no';
}
