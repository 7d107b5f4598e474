/**
 * Several searches for one person. Where only scores are known, the searches run side by side: their next questions form one batch, and one
 * round trip to the scorer serves all of them. Where the model answers at once, the searches run in turn: a later search may end earlier
 * because of the answers of the searches before.
 */
import { atomsOf, type Problem } from '../../problems/problem.js';
import type { ScoreBatch } from '../solver.js';

type Search<T> = Generator<ScoreBatch, T, void>;

/** Whether only scores of the model are known. The scores may come from another process. */
export const isOracle = (problem: Problem): boolean => atomsOf(problem, 'oracle').length > 0;

/** The results in the order of the searches. */
export function* searchAll<T>(problem: Problem, searches: readonly Search<T>[]): Search<T[]> {
  return isOracle(problem) ? yield* sideBySide(searches) : yield* inTurn(searches);
}

function* inTurn<T>(searches: readonly Search<T>[]): Search<T[]> {
  const results: T[] = [];
  for (const search of searches) results.push(yield* search);
  return results;
}

function* sideBySide<T>(searches: readonly Search<T>[]): Search<T[]> {
  const results = new Array<T>(searches.length);
  let open = [...searches.keys()];
  while (open.length) {
    const batch: Float64Array[] = [];
    open = open.filter((k) => {
      const step = searches[k].next();
      if (step.done) results[k] = step.value;
      else for (const point of step.value) batch.push(point);
      return !step.done;
    });
    if (open.length) yield batch;
  }
  return results;
}
