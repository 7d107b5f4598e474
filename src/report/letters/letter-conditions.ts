/**
 * The rules that a claim of a letter silently depends on. "Permitted" names rules about changes: directions, limits, steps, lists, conditions
 * between details, the number of changes. It does not name these:
 *
 *   margin          a change that passes the threshold by less is no answer, and the model accepts it all the same
 *   plausibility    a change to unusual values is no answer, and the model accepts it all the same
 *   background      the default limits of numbers, which stand in no policy
 *   wishes          the person's own rules
 *   measure         what counts as smaller
 *
 * A letter says them before the claim. Without the policy they are unknown, and the letter says that rules may require more.
 */
import type { Reason } from '../../documents/result-document.js';
import type { LetterContext } from './letter-context.js';
import type { Under } from './letter-words.js';

export interface Conditions {
  /** Whole sentences, before the claim. */
  readonly told: readonly string[];
  /** How the claim refers to them. */
  readonly under: Under;
}

export const NO_CONDITIONS: Conditions = { told: [], under: 'nothing' };

interface Claim {
  /** The target has a threshold of its own. */
  readonly hasThreshold: boolean;
  /** Numbers stayed within the range of the background by default. */
  readonly isBounded: boolean;
}

/** The conditions of a claim about smaller changes. */
export function conditionsOfSize(claim: Claim, context: LetterContext): Conditions {
  const { told, under } = conditionsOfAll(claim, context);
  return { told: [...told, ...measureOf(context)], under };
}

/**
 * The conditions of a claim that no change helps. Entries that are proved to block are the whole premise: what they do not name may be
 * left out, and there is still no answer.
 */
export function conditionsOfNone(reason: Reason | undefined, claim: Claim, context: LetterContext): Conditions {
  const blocking = reason?.blocking;
  if (!blocking) return conditionsOfAll(claim, context);
  const { hasThreshold } = claim;
  return combine({
    margin: blocking.includes('margin') ? context.words.condition.margin(hasThreshold) : undefined,
    others: [
      ...(blocking.includes('plausibility') ? [context.words.condition.plausible] : []),
      ...(blocking.length ? wishesOf(context) : []),
    ],
  });
}

/** The conditions of a claim that rests on all rules. */
export function conditionsOfAll({ hasThreshold, isBounded }: Claim, context: LetterContext): Conditions {
  const { words, policy } = context;
  const { condition } = words;
  const background = isBounded ? [condition.background] : [];
  if (!policy) return { told: [condition.unknown(hasThreshold), ...background], under: 'everything' };
  const { margin = 0, plausibility } = policy;
  const isLimited = plausibility && (plausibility.atLeast !== undefined || plausibility.weight === undefined);
  return combine({
    margin: margin > 0 ? condition.margin(hasThreshold) : undefined,
    others: [...(isLimited ? [condition.plausible] : []), ...background, ...wishesOf(context)],
  });
}

function combine({ margin, others }: { margin: string | undefined; others: readonly string[] }): Conditions {
  if (margin === undefined) return { told: others, under: others.length ? 'conditions' : 'nothing' };
  return { told: [margin, ...others], under: others.length ? 'conditions' : 'margin' };
}

/** Whether the person's own wishes are among the rules. */
function wishesOf({ words, policy }: LetterContext): string[] {
  const { features = {}, difficulty = {}, maxChanges } = policy?.overlay ?? {};
  const hasWishes = Object.keys(features).length + Object.keys(difficulty).length > 0 || maxChanges !== undefined;
  return hasWishes ? [words.condition.wishes] : [];
}

/** A measure that people do not expect. */
function measureOf({ words: { condition }, policy }: LetterContext): string[] {
  return [
    ...(policy?.cost?.norm === 'l0' ? [condition.counted] : []),
    ...(policy?.plausibility?.weight === undefined ? [] : [condition.measured]),
  ];
}
