/** The registry of models. The families and their algebra are loaded with the first document, because most commands open none. */
import { config } from '../../config.js';
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
  describe: ({ document: { family, features, parameters }, classes, model }) => ({
    ...{ family, features: features.length, classes, ...thresholdOf(family, parameters) },
    ...(model.volatile && { volatile: true }),
  }),
  load: (document, { version, digest }) => loadChecked(document, { version, digest, bounds: config.bounds }),
};

/** Other families decide by comparing scores. */
function thresholdOf(
  family: string,
  { threshold }: Readonly<Record<string, unknown>>,
): Pick<ModelVersion, 'threshold'> {
  return family === 'logistic-regression' ? { threshold: typeof threshold === 'number' ? threshold : 0.5 } : {};
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
