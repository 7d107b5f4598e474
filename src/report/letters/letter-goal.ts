/** The target in the words of a letter, and the class whose score the result reports. */
import type { BandDocument } from '../../documents/decision/decision-document.js';
import type { TargetDocument } from '../../documents/policy-document.js';
import type { ResultDocument, RungDocument } from '../../documents/result-document.js';
import { decimalSum } from '../../linalg/decimals.js';
import type { LetterContext } from './letter-context.js';

/** The rest of the sentence "would have led ...". */
export function goalInWords(target: TargetDocument, context: LetterContext): string {
  const { words, names, format } = context;
  const band = bandOf(target, context);
  if (band) return words.goal.band(band.name);
  if (typeof target === 'string') return words.goal.results(words.quote(names.class(target)));
  if (Array.isArray(target)) return words.goal.results(format.or(target.map((name) => words.quote(names.class(name)))));
  if (typeof target === 'number') {
    const tolerance = context.policy?.tolerance;
    return words.goal.value(tolerance ? aroundInWords(target, tolerance, context) : format.number(target));
  }
  if ('value' in target) return words.goal.value(aroundInWords(target.value, target.tolerance, context));
  const range = rangeInWords(target.from, target.to, context);
  const name = scoredClass(target, context);
  return name === undefined ? words.goal.value(range) : words.goal.scoreOf(names.class(name), range);
}

function aroundInWords(value: number, tolerance: number, context: LetterContext): string {
  const [low, high] = [-tolerance, tolerance].map((part) => decimalSum(value, part));
  return rangeInWords(low, high, context);
}

/** The band that is the target. Undefined: the target is none. */
export const bandOf = (target: TargetDocument, { model }: LetterContext): BandDocument | undefined =>
  typeof target === 'string' ? model.decision?.bands?.find(({ name }) => name === target) : undefined;

/** Whether a change can go too far for the target. "Enough" would then say too much. */
export function isTwoSided(target: TargetDocument): boolean {
  if (typeof target === 'string' || Array.isArray(target)) return false;
  return typeof target === 'number' || 'value' in target || (target.from !== undefined && target.to !== undefined);
}

/** The part of a result that is about one target of several. */
export function partAbout<R extends ResultDocument>(result: R, { target, status, reason }: RungDocument): R {
  const key = JSON.stringify(target);
  const counterfactuals = result.counterfactuals.filter((answer) => JSON.stringify(answer.target) === key);
  return { ...result, target, status, reason, counterfactuals, targets: undefined };
}

/** Whether the decision is the target already, and only the margin of the policy is missing. */
export function lacksMargin({ status, target, factual, decision }: ResultDocument, context: LetterContext): boolean {
  if (status === 'already' || !factual || target === null || typeof target === 'number') return false;
  const { prediction, score } = factual;
  const wanted = bandOf(target, context);
  if (wanted) return isInBand(decision?.band, wanted, context);
  if (typeof target === 'string') return prediction === target;
  if (Array.isArray(target)) return target.some((name) => name === prediction);
  if ('value' in target) return Math.abs(score - target.value) <= target.tolerance;
  return score >= (target.from ?? -Infinity) && score <= (target.to ?? Infinity);
}

/** Whether a person's band is a band or a better one. */
function isInBand(own: string | null | undefined, wanted: BandDocument, { model }: LetterContext): boolean {
  const from = model.decision?.bands?.find(({ name }) => name === own)?.from;
  return from !== undefined && from >= wanted.from;
}

/** The one class whose score is reported. Undefined: the target lists classes, or the model is a regressor. */
export function scoredClass(target: TargetDocument, context: LetterContext): string | undefined {
  const { classes } = context.model;
  if (bandOf(target, context)) return classes?.[1];
  if (typeof target === 'string') return target;
  if (!classes || typeof target === 'number' || Array.isArray(target) || 'value' in target) return undefined;
  return target.class ?? classes[1];
}

/** The ends are numbers that people chose. */
function rangeInWords(from: number | undefined, to: number | undefined, { words, format }: LetterContext): string {
  if (from !== undefined && from === to) return format.number(from);
  if (from === undefined) return to === undefined ? words.range.anything : words.range.atMost(format.number(to));
  if (to === undefined) return words.range.atLeast(format.number(from));
  return words.range.between(format.number(from), format.number(to));
}
