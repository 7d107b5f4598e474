/** Documents named on the command line: files, or models and policies in the registry. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { config } from '../config.js';
import { ElsewiseError } from '../documents/error.js';
import { readingFault } from '../documents/file-fault.js';
import { withoutComments } from '../documents/json-comments.js';
import { refuseRepeatedKeys, refuseRepeatedKeysOf } from '../documents/repeated-key.js';
import { type LoadedModel, loadModel } from '../models/load.js';
import { loadPolicy } from '../policy/policy.js';
import { checkedByScorer } from '../scoring/probes.js';
import type { VersionedPolicy } from '../store/registry/policy-store.js';
import { looksLikeReference } from '../store/registry/reference.js';
import type { Store } from '../store/store.js';

interface JsonForm {
  /** The name of the document in messages about its keys. Without a name the file stands there. */
  readonly root?: string;
  readonly prepare?: (text: string) => string;
}

/** A key that an object names twice is refused: one of its values would be lost. */
export async function readJson(path: string, { root, prepare = (text) => text }: JsonForm = {}): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ElsewiseError('bad-document', readingFault(error), path);
  });
  if (text.trim() === '') throw new ElsewiseError('bad-document', 'is empty: expected a JSON document', path);
  const json = prepare(text.replace(/^\uFEFF/, ''));
  const document = parse(json, path);
  if (root === undefined) refuseRepeatedKeysOf(path, json, 'bad-document');
  else refuseRepeatedKeys(json, 'bad-document', root);
  return document;
}

function parse(json: string, path: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new ElsewiseError('bad-document', `is not valid JSON: ${(error as Error).message}`, path);
  }
}

/** A policy file may have comments: people write it. */
export const readPolicyJson = (path: string): Promise<unknown> =>
  readJson(path, { root: 'policy', prepare: withoutComments });

export const readModelJson = (path: string): Promise<unknown> => readJson(path, { root: 'model' });

export async function readModelFile(path: string): Promise<LoadedModel> {
  return checkedByScorer(loadModel(await readModelJson(path), { bounds: config.bounds }));
}

/** Provides the store for one use. */
export type OpenStore = <T>(use: (store: Store) => Promise<T>) => Promise<T>;

/** A store that connects on use. */
export function storeAt(redis: string | undefined): OpenStore {
  return async (use) => {
    const { useStore } = await import('./store-options.js');
    return useStore({ redis }, use);
  };
}

/** A file, or else a reference into the registry. */
export async function readModel(text: string, redisUrl?: string): Promise<LoadedModel> {
  return readFileOr(text, () => storeAt(redisUrl)(({ models }) => models.load(text)), readModelFile);
}

/** The same for commands that score nothing: a scorer elsewhere is not asked. */
export async function readModelToDescribe(text: string, redisUrl?: string): Promise<LoadedModel> {
  const { bounds } = config;
  const fromRegistry = () =>
    storeAt(redisUrl)(async ({ models }) => {
      const stored = await models.resolve(text);
      const { version, digest } = stored;
      return loadModel(JSON.parse((await models.read(stored)).toString()), { version, digest, bounds });
    });
  return readFileOr(text, fromRegistry, async (path) => loadModel(await readModelJson(path), { bounds }));
}

/** The same for a policy. A policy from the registry has a version. */
export async function readPolicyDocument(text: string, openStore: OpenStore): Promise<VersionedPolicy> {
  return readFileOr(
    text,
    () => openStore(({ policies }) => policies.load(text)),
    async (path) => loadPolicy(await readPolicyJson(path)),
  );
}

/**
 * An existing file takes precedence. The registry's code is loaded only without a file, because it is most of the start-up time. A mistyped
 * file name must not give only an error about Redis.
 */
async function readFileOr<T>(text: string, fromRegistry: () => Promise<T>, fromFile: (path: string) => Promise<T>) {
  if (existsSync(text) || !looksLikeReference(text)) return fromFile(text);
  return fromRegistry().catch((error: unknown) => {
    if (!(error instanceof ElsewiseError) || text.includes('@')) throw error;
    throw new ElsewiseError(error.code, `there is no file "${text}", and in the registry: ${error.message}`);
  });
}
