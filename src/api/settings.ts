/**
 * The section `api` of the configuration: what is given wins over the environment, which wins over config/default.json.
 * `api.maxWaitMs` is ELSEWISE_API_MAX_WAIT_MS; what is no text is written as JSON. The tokens may lie in a file instead,
 * named by ELSEWISE_API_TOKENS_FILE, as orchestrators mount secrets.
 */
import { readFileSync } from 'node:fs';
import { apiSchema, type Config, config } from '../config.js';
import { ElsewiseError } from '../documents/error.js';
import { parseDocument } from '../documents/parse.js';

export type ApiSettings = Readonly<Config['api']>;

type Name = keyof ApiSettings;
type Given = { readonly [K in Name]?: ApiSettings[K] | undefined };

const TOKENS_FILE = 'ELSEWISE_API_TOKENS_FILE';

export function apiSettings(given: Given = {}, environment: NodeJS.ProcessEnv = process.env): ApiSettings {
  const read = (name: Name) => given[name] ?? fromEnvironment(name, environment) ?? config.api[name];
  const values = Object.fromEntries((Object.keys(config.api) as Name[]).map((name) => [name, read(name)]));
  return parseDocument(apiSchema, values, 'api');
}

/** An empty variable counts as unset. */
function fromEnvironment(name: Name, environment: NodeJS.ProcessEnv): unknown {
  const variable = variableOf(name);
  const text = environment[variable];
  if (text) return typeof config.api[name] === 'string' ? text : parseJson(text, variable);
  const file = environment[TOKENS_FILE];
  return name === 'tokens' && file ? readTokenFile(file) : undefined;
}

export function variableOf(name: string): string {
  return `ELSEWISE_API_${name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase()}`;
}

/** The list of tokens in a file; it is checked with the other settings. */
export function readTokenFile(path: string): ApiSettings['tokens'] {
  try {
    return parseJson(readFileSync(path, 'utf8'), path) as ApiSettings['tokens'];
  } catch (error) {
    if (error instanceof ElsewiseError) throw error;
    throw new ElsewiseError('usage', `cannot be read: ${(error as Error).message}`, path);
  }
}

/** What is wrong with it is not said in its own words: it may hold secrets. */
function parseJson(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ElsewiseError('usage', 'expected JSON', where);
  }
}
