/** One connection and the stores over it, for commands and producers; and the model references of the command line. */
import { existsSync } from 'node:fs';
import type { Redis } from 'ioredis';
import type { LoadedModel } from '../models/load.js';
import { BatchStore } from './batch-store.js';
import { Keys } from './keys.js';
import { ModelStore } from './model-store.js';
import { OnceStore } from './once-store.js';
import { asRedisAway, connect } from './redis.js';
import { ResultStore } from './result-store.js';
import { type StoreSettings, storeSettings } from './settings.js';

export interface Store {
  readonly redis: Redis;
  readonly settings: StoreSettings;
  readonly models: ModelStore;
  readonly batches: BatchStore;
  readonly results: ResultStore;
  readonly once: OnceStore;
}

export function storeOver(redis: Redis, settings: StoreSettings): Store {
  const keys = new Keys(settings.keyPrefix);
  return {
    redis,
    settings,
    models: new ModelStore(redis, keys),
    batches: new BatchStore(redis, keys),
    results: new ResultStore(redis, keys, settings),
    once: new OnceStore(redis, keys, settings.onceTtlSeconds),
  };
}

/** Connects, runs, disconnects; whatever breaks of the connection on the way is told as `redis-away`. */
export async function withStore<T>(settings: StoreSettings, use: (store: Store) => Promise<T>): Promise<T> {
  const redis = await connect(settings.url);
  try {
    return await use(storeOver(redis, settings));
  } catch (error) {
    throw asRedisAway(settings.url, error);
  } finally {
    redis.disconnect();
  }
}

/** Whether `--model` means the registry: `name@version`, and no file of that name lies there. */
export function isModelReference(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]*@(\d+|latest)$/.test(text) && !existsSync(text);
}

/** The model that a reference names in the registry of the given Redis, or that of REDIS_URL. */
export async function loadModelReference(reference: string, url?: string): Promise<LoadedModel> {
  return withStore(storeSettings({ url }), ({ models }) => models.load(reference));
}
