/** References into the registry in a request: an invalid reference is reported with its path in the request. */
import { ElsewiseError } from '../documents/error.js';
import { readReference } from '../store/registry/reference.js';

/** Ignores a document in place of a reference. */
export function checkReference(value: unknown, path: string): void {
  if (typeof value !== 'string') return;
  try {
    readReference(value);
  } catch (error) {
    throw new ElsewiseError('bad-request', (error as Error).message, path);
  }
}
