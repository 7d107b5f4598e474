/** Work on rows of a model that is scored elsewhere, as steps that yield model inputs and are sent their raw outputs. */
import { KnownScores, type ScoreMemory, ScoresNeeded } from '../../models/score-memory.js';
import type { ScoreBatches } from './score-batches.js';

export type ScoredSteps<T> = Generator<readonly Float64Array[], T, readonly Float64Array[]>;

/** Runs steps to their end. Rejects with the failure of the scorer. */
export async function drive<T>(steps: ScoredSteps<T>, batches: Pick<ScoreBatches, 'score'>): Promise<T> {
  let step = steps.next();
  while (!step.done) step = steps.next(await batches.score(step.value));
  return step.value;
}

/** Short work that starts anew whenever a score is missing. */
export function* recalling<T>(memory: ScoreMemory, work: () => T): ScoredSteps<T> {
  const known = new KnownScores();
  for (;;) {
    memory.use(known);
    try {
      return work();
    } catch (error) {
      if (!(error instanceof ScoresNeeded)) throw error;
      const raws = yield error.inputs;
      memory.use(known);
      for (const [k, input] of error.inputs.entries()) memory.learn(input, raws[k]);
    }
  }
}
