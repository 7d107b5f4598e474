/** Every combination of given values, one by one: the cheapest answer, and the cheapest for every set of changed features. */
import { isSame } from '../evaluate/features.js';
import type { Question } from '../question.js';

export interface Enumeration {
  best: number;
  point: Float64Array | null;
  bestNear: number;
}

/** Points that cost more than the cutoff are left out, as is what costs as much as the best. */
export function enumerate(question: Question, choices: readonly number[][], cutoff = Infinity): Enumeration {
  const found: Enumeration = { best: Infinity, point: null, bestNear: Infinity };
  const limit = () => Math.min(found.best, cutoff);
  const look = (values: Float64Array): void => {
    const cost = question.costOf(values);
    if (cost > cutoff || cost >= found.best) return;
    const verdict = question.isAnswer(values);
    if (verdict === 'yes') [found.best, found.point] = [cost, values.slice()];
    else if (verdict === 'near') found.bestNear = Math.min(found.bestNear, cost);
  };
  const priced = priceChoices(question, choices);
  if (priced) visitPriced(priced, look, limit);
  else visit(choices, look);
  return found;
}

interface PricedChoice {
  value: number;
  price: number;
}

/** Each feature's values, the cheapest first; null where the prices of features do not add up. */
function priceChoices({ cost, baseline }: Question, choices: readonly number[][]): PricedChoice[][] | null {
  const { share } = cost;
  if (!share) return null;
  return choices.map((list, f) =>
    list
      .map((value) => ({ value, price: Number.isNaN(value) ? 0 : share(f, baseline[f], value) }))
      .sort((a, b) => a.price - b.price),
  );
}

/** Prices are summed in another order than costs: what is left out is dearer than the limit whatever the rounding. */
const ROUNDED = 1e-12;

function visitPriced(
  choices: readonly PricedChoice[][],
  look: (values: Float64Array) => void,
  limit: () => number,
): void {
  const values = new Float64Array(choices.length);
  const descend = (f: number, paid: number): void => {
    if (f === choices.length) {
      look(values);
      return;
    }
    for (const { value, price } of choices[f]) {
      if ((paid + price) * (1 - ROUNDED) > limit()) break;
      values[f] = value;
      descend(f + 1, paid + price);
    }
  };
  descend(0, 0);
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
  const values = new Float64Array(choices.length);
  const holdsFrom = (f: number): boolean => {
    if (f === choices.length) return holds(values);
    return choices[f].every((value) => {
      values[f] = value;
      return holdsFrom(f + 1);
    });
  };
  return holdsFrom(0) ? null : values;
}
