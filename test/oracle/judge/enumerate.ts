/** Every combination of given values, one by one: the cheapest answer, and the cheapest for every set of changed features. */
import { isSame } from '../evaluate/features.js';
import type { Question } from '../question.js';

export interface Enumeration {
  best: number;
  point: Float64Array | null;
  bestNear: number;
}

export function enumerate(question: Question, choices: readonly number[][]): Enumeration {
  const found: Enumeration = { best: Infinity, point: null, bestNear: Infinity };
  visit(choices, (values) => {
    const cost = question.costOf(values);
    if (cost >= found.best) return;
    const verdict = question.isAnswer(values);
    if (verdict === 'yes') [found.best, found.point] = [cost, values.slice()];
    else if (verdict === 'near') found.bestNear = Math.min(found.bestNear, cost);
  });
  return found;
}

function visit(choices: readonly number[][], look: (values: Float64Array) => void): void {
  const values = new Float64Array(choices.length);
  const descend = (f: number): void => {
    if (f === choices.length) {
      look(values);
      return;
    }
    for (const value of choices[f]) {
      values[f] = value;
      descend(f + 1);
    }
  };
  descend(0);
}

export interface SetCost {
  /** Cheapest certain answer that changes exactly this set, and cheapest that rounding leaves open. */
  best: number;
  near: number;
}

/** By set of changed features, written as a string of names. */
export function enumerateSets(question: Question, choices: readonly number[][]): Map<string, SetCost> {
  const sets = new Map<string, SetCost>();
  visit(choices, (values) => {
    const verdict = question.isAnswer(values);
    if (verdict === 'no') return;
    const key = changedKey(question, values);
    const known = sets.get(key) ?? { best: Infinity, near: Infinity };
    const cost = question.costOf(values);
    if (verdict === 'yes') known.best = Math.min(known.best, cost);
    else known.near = Math.min(known.near, cost);
    sets.set(key, known);
  });
  return sets;
}

export const changedKey = (question: Question, values: ArrayLike<number>): string =>
  question.features
    .filter((_, f) => !isSame(values[f], question.factual[f]))
    .map(({ name }) => name)
    .join(' ');

/** All points, certain or open, of a box. */
export function everyPoint(
  choices: readonly number[][],
  holds: (values: Float64Array) => boolean,
): Float64Array | null {
  let counterexample: Float64Array | null = null;
  visit(choices, (values) => {
    if (!counterexample && !holds(values)) counterexample = values.slice();
  });
  return counterexample;
}
