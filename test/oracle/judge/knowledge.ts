/** What the oracle knows of a question's answers, and how it came to know. */
import type { Question } from '../question.js';
import { breakpointChoices } from './breakpoints.js';
import { enumerate } from './enumerate.js';

export interface Knowledge {
  /** Whether everything up to the cutoff was tried: then no certain answer is cheaper than `best`. */
  exact: boolean;
  /** Cost of the cheapest certain answer that is known; Infinity: none is. */
  best: number;
  point: Float64Array | null;
  /** Cost of the cheapest point that rounding leaves open. */
  bestNear: number;
}

/** Combinations that are tried one by one. */
export const MOST_COMBINATIONS = 60_000;

/** The values of every feature where they are few, the present one first; null where there are too many. */
export function choicesOf(question: Question): number[][] | null {
  const lists: number[][] = [];
  let product = 1;
  for (const [f, values] of question.values.entries()) {
    if (values.kind !== 'list') return null;
    product *= values.values.length + 1;
    if (product > MOST_COMBINATIONS) return null;
    lists.push([question.factual[f], ...values.values]);
  }
  return lists;
}

/** All that can be known by trying everything up to a cost; null where that is too much. */
export function tryEverything(question: Question, cutoff = Infinity): Knowledge | null {
  const choices = choicesOf(question);
  if (choices) return { exact: true, ...enumerate(question, choices, cutoff) };
  const cells = breakpointChoices(question, MOST_COMBINATIONS);
  return cells && { exact: cells.exact, ...enumerate(question, cells.choices, cutoff) };
}
