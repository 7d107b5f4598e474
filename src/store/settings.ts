/** The address of Redis, the prefixes of our keys and their retention: the section `store` of the configuration. */
import { type Config, type PartialConfig, readConfig } from '../config.js';
import { locate } from './redis/redis-address.js';

export type StoreSettings = Readonly<Config['store']>;

/** Nodes listed in the environment do not apply to an explicitly given URL. */
const NO_NODES = { sentinelNodes: '', clusterNodes: '' } as const;

/** Given values take precedence over the environment. */
export function storeSettings(
  given: PartialConfig['store'] = {},
  environment: NodeJS.ProcessEnv = process.env,
): StoreSettings {
  const own = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return tagged(readConfig({ store: given.url ? { ...NO_NODES, ...own } : own }, environment).store);
}

/** BullMQ's scripts use many keys of a queue. On a Cluster, the hash tag in braces puts them into one slot. */
function tagged(settings: StoreSettings): StoreSettings {
  const { queuePrefix } = settings;
  const isTagged = /\{[^}]+\}/.test(queuePrefix);
  return isTagged || locate(settings).kind !== 'cluster' ? settings : { ...settings, queuePrefix: `{${queuePrefix}}` };
}
