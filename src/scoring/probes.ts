/**
 * The parity gate of models that are scored elsewhere: the scorer scores the rows of the probes, and its scores must equal those of the
 * document. Without probes the scorer is asked for the first row of the background. A document whose scorer does not answer or does not fit
 * is refused when it is loaded.
 */
import { checkProbes, inputOf, type LoadedModel, probeInputs } from '../models/load.js';
import { KnownScores } from '../models/score-memory.js';
import { openScorer } from './open-scorer.js';
import type { PointScorer } from './point-scorer.js';

/** Rejects with `bad-probe`, or with the error of the scorer. */
export async function checkScorer(model: LoadedModel, scorer: PointScorer): Promise<void> {
  const probes = probeInputs(model);
  await learnScores(model, scorer, probes.length ? probes : sampleInputs(model));
  if (probes.length) checkProbes(model);
}

const sampleInputs = (model: LoadedModel): Float64Array[] =>
  model.background.samples.slice(0, 1).map((values) => inputOf(model, values));

/** Fills the memory of a model with the scores of some inputs. */
export async function learnScores(
  model: LoadedModel,
  scorer: PointScorer,
  inputs: readonly Float64Array[],
): Promise<void> {
  const { memory, scoring } = model.model;
  const known = new KnownScores();
  const size = scoring?.batchSize ?? inputs.length;
  const raws: Float64Array[] = [];
  if (inputs.length === 0) await scorer.score([]);
  for (let from = 0; from < inputs.length; from += size) {
    for (const score of await scorer.score(inputs.slice(from, from + size))) {
      if (score instanceof Error) throw score;
      raws.push(score);
    }
  }
  memory!.use(known);
  for (const [k, input] of inputs.entries()) memory!.learn(input, raws[k]);
}

/** The same for a loader without a scorer. A model without a scorer has already passed. */
export async function checkedByScorer(model: LoadedModel): Promise<LoadedModel> {
  const scorer = openScorer(model);
  if (!scorer) return model;
  try {
    await checkScorer(model, scorer);
    return model;
  } finally {
    await scorer.close?.();
  }
}
