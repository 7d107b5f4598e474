/** The registry of models. The families and their algebra are loaded with the first document: most commands open none. */
import { config } from '../../config.js';
import type { LoadedModel } from '../../models/load.js';
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
}

const MODELS: Kind<ModelVersion, LoadedModel> = {
  noun: 'model',
  // with its probes: a model that does not give the scores it promises is refused
  check: async (document) => (await loading()).loadModel(document, { bounds: config.bounds }),
  describe: ({ document: { family, features }, classes }) => ({ family, features: features.length, classes }),
  load: async (document, { version, digest }) =>
    (await loading()).loadModel(document, { version, digest, bounds: config.bounds }),
};

const loading = () => import('../../models/load.js');

export type AdmittedModel = Admitted<ModelVersion>;

export function admitModel(document: unknown, maxDocumentMb: number): Promise<AdmittedModel> {
  return admit(MODELS, document, maxDocumentMb);
}

export class ModelStore extends VersionedStore<ModelVersion, LoadedModel> {
  constructor(redis: RedisClient, options: RegistryOptions) {
    super(redis, MODELS, options);
  }
}
