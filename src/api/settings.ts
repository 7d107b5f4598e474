/** The section `api` of the configuration. Tokens may also be in a separate file, as orchestrators mount secrets. */
import { readFileSync } from 'node:fs';
import { type Config, type PartialConfig, readConfig } from '../config.js';
import { ElsewiseError } from '../documents/error.js';

export type ApiSettings = Readonly<Config['api']>;

/** Given values take precedence over the environment. */
export function apiSettings(
  given: PartialConfig['api'] = {},
  environment: NodeJS.ProcessEnv = process.env,
): ApiSettings {
  return readConfig({ api: given }, environment).api;
}

/** The list of tokens in a file. It is checked with the other settings. */
export function readTokenFile(path: string): ApiSettings['tokens'] {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ApiSettings['tokens'];
  } catch (error) {
    // the parser's own message is not repeated: the JSON may contain secrets
    const reason = error instanceof SyntaxError ? 'expected JSON' : `cannot be read: ${(error as Error).message}`;
    throw new ElsewiseError('usage', reason, path);
  }
}
