/** Documents that the command line names: files, or models and policies in the registry. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { config } from '../config.js';
import { ElsewiseError } from '../documents/error.js';
import { type LoadedModel, loadModel } from '../models/load.js';
import { loadPolicy } from '../policy/policy.js';
import { checkedByScorer } from '../scoring/probes.js';
import type { VersionedPolicy } from '../store/registry/policy-store.js';
import { looksLikeReference } from '../store/registry/reference.js';
import type { Store } from '../store/store.js';

export async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ElsewiseError('bad-document', error.code === 'ENOENT' ? 'no such file' : error.message, path);
  });
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new ElsewiseError('bad-document', `is not valid JSON: ${(error as Error).message}`, path);
  }
}

export async function readModelFile(path: string): Promise<LoadedModel> {
  return checkedByScorer(loadModel(await readJson(path), { bounds: config.bounds }));
}

/** Lends the store for one use. */
export type OpenStore = <T>(use: (store: Store) => Promise<T>) => Promise<T>;

/** A store that is connected to when it is used. */
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

/** The same of a policy; one from the registry knows its version. */
export async function readPolicyDocument(text: string, openStore: OpenStore): Promise<VersionedPolicy> {
  return readFileOr(
    text,
    () => openStore(({ policies }) => policies.load(text)),
    async (path) => loadPolicy(await readJson(path)),
  );
}

/**
 * A file that is there wins. The registry's code is loaded only when there is none: it is most of the start-up time. Who
 * mistyped a file's name should not be left with a word about Redis only.
 */
async function readFileOr<T>(text: string, fromRegistry: () => Promise<T>, fromFile: (path: string) => Promise<T>) {
  if (existsSync(text) || !looksLikeReference(text)) return fromFile(text);
  return fromRegistry().catch((error: unknown) => {
    if (!(error instanceof ElsewiseError) || text.includes('@')) throw error;
    throw new ElsewiseError(error.code, `there is no file "${text}", and in the registry: ${error.message}`);
  });
}
