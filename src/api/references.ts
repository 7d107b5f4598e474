/** References into the registry, as a request carries them: one that cannot be read is told by its place in the request. */
import { ElsewiseError } from '../documents/error.js';
import { readReference } from '../store/registry/reference.js';

/** A document in place of a reference is none of its business. */
export function checkReference(value: unknown, path: string): void {
  if (typeof value !== 'string') return;
  try {
    readReference(value);
  } catch (error) {
    throw new ElsewiseError('bad-request', (error as Error).message, path);
  }
}
