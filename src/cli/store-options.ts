/**
 * The options of commands that work on Redis. The Redis client is loaded when a command needs a connection, not for help texts.
 */
import { type StoreSettings, storeSettings } from '../store/settings.js';
import type { Store } from '../store/store.js';
import type { OptionTable } from './options.js';

export const STORE_OPTIONS = {
  redis: {
    kind: 'text',
    value: 'URL',
    help: 'address of Redis (REDIS_URL, redis://127.0.0.1:6379);\nrediss://, redis+sentinel://, redis+cluster://: docs/redis.md',
  },
} as const satisfies OptionTable;

/** The options of commands that read a model from a file or from the registry. */
export const MODEL_SOURCE = {
  kind: 'text',
  value: 'FILE|REF',
  help: 'a model document, or name@version or name@alias in the registry',
} as const;
export const REGISTRY_REDIS = {
  kind: 'text',
  value: 'URL',
  help: 'Redis of the registry (REDIS_URL, redis://127.0.0.1:6379)',
} as const;

interface Given {
  readonly redis: string | undefined;
}

export function settingsOf({ redis }: Given): StoreSettings {
  return storeSettings({ url: redis });
}

export async function useStore<T>(options: Given, use: (store: Store) => Promise<T>): Promise<T> {
  const { withStore } = await import('../store/store.js');
  return withStore(settingsOf(options), use);
}
