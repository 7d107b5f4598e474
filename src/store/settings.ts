/** Where Redis is, under which prefixes our keys live there, and how long they stay: the section `store` of the configuration. */
import { type Config, type PartialConfig, readConfig } from '../config.js';

export type StoreSettings = Readonly<Config['store']>;

/** What is given wins over the environment. */
export function storeSettings(
  given: PartialConfig['store'] = {},
  environment: NodeJS.ProcessEnv = process.env,
): StoreSettings {
  return readConfig({ store: given }, environment).store;
}
