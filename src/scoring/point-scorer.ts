/** The interface of a remote scorer, and the data about a model that it needs. */
import type { ElsewiseError } from '../documents/error.js';
import type { FeatureDocument } from '../documents/model-document.js';
import type { ScoringParameters } from '../documents/scorer-document.js';
import type { LoadedModel } from '../models/load.js';

/** The raw output of an input, or the reason for its absence. */
export type PointScore = Float64Array | ElsewiseError;

export interface PointScorer {
  /** Raw outputs of model inputs, in their order. Rejects if no input can be scored. */
  score(inputs: readonly Float64Array[]): Promise<readonly PointScore[]>;
  /** Releases connections and memory. */
  close?(): void | Promise<void>;
}

/** Plain data, for threads. */
export interface ScoredModel {
  readonly name: string;
  readonly scoring: ScoringParameters;
  readonly features: readonly FeatureDocument[];
  readonly classes: readonly string[];
  /** The number of model inputs, after preprocessing. */
  readonly inputs: number;
  /** The number of raw outputs for an input. */
  readonly rawOutputs: number;
}

/** Null: the model is scored in this process. */
export function scoredModel({ name, document, classes, preprocessing, model }: LoadedModel): ScoredModel | null {
  const { scoring, rawOutputs } = model;
  if (!scoring) return null;
  return { name, scoring, features: document.features, classes, inputs: preprocessing.inputs, rawOutputs };
}
