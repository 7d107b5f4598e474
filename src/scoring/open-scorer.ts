/** The scorer of a model in this thread: for loaders, for the library, and for the scorer thread of a process. */
import { type Config, config } from '../config.js';
import type { LoadedModel } from '../models/load.js';
import { openOnnx } from './onnx/open-onnx.js';
import { type PointScorer, type ScoredModel, scoredModel } from './point-scorer.js';
import { RemoteScorer } from './remote-scorer.js';
import { ScorerClient } from './transport/scorer-client.js';

export type ScoringSettings = Config['scoring'];

/** Null: the model needs no scorer. */
export function openScorer(model: LoadedModel, settings: ScoringSettings = config.scoring): PointScorer | null {
  const scored = scoredModel(model);
  return scored && scorerOf(scored, settings);
}

function scorerOf(model: ScoredModel, settings: ScoringSettings): PointScorer {
  if (model.scoring.scorer.type === 'onnx') return openOnnx(model, settings.modelDirectory);
  const client = new ScorerClient(settings);
  const scorer = new RemoteScorer(model, client);
  return { score: (inputs) => scorer.score(inputs), close: () => client.close() };
}
