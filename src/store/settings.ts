/** Where Redis is, under which prefixes our keys live there, and how long they stay: the section `store` of the configuration. */
import { type Config, type PartialConfig, readConfig } from '../config.js';
import { locate } from './redis/redis-address.js';

export type StoreSettings = Readonly<Config['store']>;

/** Nodes that the environment lists are not those of a URL that was asked for. */
const NO_NODES = { sentinelNodes: '', clusterNodes: '' } as const;

/** Given values win over the environment. */
export function storeSettings(
  given: PartialConfig['store'] = {},
  environment: NodeJS.ProcessEnv = process.env,
): StoreSettings {
  const own = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return tagged(readConfig({ store: given.url ? { ...NO_NODES, ...own } : own }, environment).store);
}

/** BullMQ's scripts touch many keys of a queue: on a Cluster, the hash tag in braces puts them into one slot. */
function tagged(settings: StoreSettings): StoreSettings {
  const { queuePrefix } = settings;
  const isTagged = /\{[^}]+\}/.test(queuePrefix);
  return isTagged || locate(settings).kind !== 'cluster' ? settings : { ...settings, queuePrefix: `{${queuePrefix}}` };
}
