/** The registry of models. The families and their algebra are loaded with the first document, because most commands open none. */
import { config } from '../../config.js';
import { thresholdsOf } from '../../models/decision/common-thresholds.js';
import type { LoadedModel, LoadOptions } from '../../models/load.js';
import type { RedisClient } from '../redis/redis.js';
import {
  type Admitted,
  admit,
  type Kind,
  type RegistryOptions,
  type StoredVersion,
  VersionedStore,
} from './versioned-store.js';

export interface ModelVersion extends StoredVersion {
  readonly family: string;
  readonly features: number;
  readonly classes: readonly string[];
  /** The threshold of the decision, where the family has one. */
  readonly threshold?: number;
  /** Set: the scores may change while the digest stays. */
  readonly volatile?: true;
}

const MODELS: Kind<ModelVersion, LoadedModel> = {
  noun: 'model',
  // includes the probes: a model that does not reproduce its promised scores is refused
  check: (document) => loadChecked(document, { bounds: config.bounds }),
  describe: (loaded) => ({
    ...{ family: loaded.document.family, features: loaded.document.features.length, classes: loaded.classes },
    ...thresholdOf(loaded),
    ...(loaded.model.volatile && { volatile: true }),
  }),
  load: (document, { version, digest }) => loadChecked(document, { version, digest, bounds: config.bounds }),
};

/** Other families decide by comparing scores. A decision layer may have one threshold, or one for each value of a feature. */
function thresholdOf(loaded: LoadedModel): Pick<ModelVersion, 'threshold'> {
  const { family, decision } = loaded.document;
  const threshold = decision || family === 'logistic-regression' ? thresholdsOf(loaded)?.[1] : undefined;
  return threshold === undefined ? {} : { threshold };
}

/** The scorer of a remote model is checked against the probes. */
async function loadChecked(document: unknown, options: LoadOptions): Promise<LoadedModel> {
  const [{ loadModel }, { checkedByScorer }] = await Promise.all([
    import('../../models/load.js'),
    import('../../scoring/probes.js'),
  ]);
  return checkedByScorer(loadModel(document, options));
}

export type AdmittedModel = Admitted<ModelVersion>;

export function admitModel(document: unknown, maxDocumentMb: number): Promise<AdmittedModel> {
  return admit(MODELS, document, maxDocumentMb);
}

export class ModelStore extends VersionedStore<ModelVersion, LoadedModel> {
  constructor(redis: RedisClient, options: RegistryOptions) {
    super(redis, MODELS, options);
  }
}
