/** The registry of models. */
import { type LoadedModel, loadModel } from '../models/load.js';
import type { RedisClient } from './redis.js';
import { type Kind, type RegistryOptions, type StoredVersion, VersionedStore } from './versioned-store.js';

export interface ModelVersion extends StoredVersion {
  readonly family: string;
  readonly features: number;
  readonly classes: readonly string[];
}

const MODELS: Kind<ModelVersion, LoadedModel> = {
  noun: 'model',
  check: loadModel, // with its probes: a model that does not give the scores it promises is refused
  describe: ({ document: { family, features }, classes }) => ({ family, features: features.length, classes }),
  load: (document, { version, digest }) => loadModel(document, { version, digest }),
};

export class ModelStore extends VersionedStore<ModelVersion, LoadedModel> {
  constructor(redis: RedisClient, options: RegistryOptions) {
    super(redis, MODELS, options);
  }
}
