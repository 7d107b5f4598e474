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
