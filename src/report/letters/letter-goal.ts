/** The target in the words of a letter, and the class whose score the result reports. */
import type { TargetDocument } from '../../documents/policy-document.js';
import { decimalSum } from '../../linalg/decimals.js';
import type { LetterContext } from './letter-context.js';

/** The rest of the sentence "would have led ...". */
export function goalInWords(target: TargetDocument, context: LetterContext): string {
  const { words, names, format } = context;
  if (typeof target === 'string') return words.goal.results(words.quote(names.class(target)));
  if (Array.isArray(target)) return words.goal.results(format.or(target.map((name) => words.quote(names.class(name)))));
  if (typeof target === 'number') return words.goal.value(format.number(target));
  if ('value' in target) {
    const [low, high] = [-target.tolerance, target.tolerance].map((part) => decimalSum(target.value, part));
    return words.goal.value(rangeInWords(low, high, context));
  }
  const range = rangeInWords(target.from, target.to, context);
  const name = scoredClass(target, context);
  return name === undefined ? words.goal.value(range) : words.goal.scoreOf(names.class(name), range);
}

/** The one class whose score is reported. Undefined: the target lists classes, or the model is a regressor. */
export function scoredClass(target: TargetDocument, { model: { classes } }: LetterContext): string | undefined {
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
