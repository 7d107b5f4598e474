/** Documents that the command line names: files, and models in the registry. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { ElsewiseError } from '../documents/error.js';
import { type LoadedModel, loadModel } from '../models/load.js';

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
  return loadModel(await readJson(path));
}

/** A file, or else `name@version`. The registry's code is loaded only for the latter: it is most of the start-up time. */
export async function readModel(reference: string, redisUrl?: string): Promise<LoadedModel> {
  if (existsSync(reference) || !reference.includes('@')) return readModelFile(reference);
  const { isModelReference, loadModelReference } = await import('../store/store.js');
  return isModelReference(reference) ? loadModelReference(reference, redisUrl) : readModelFile(reference);
}
