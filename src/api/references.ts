/** References into the registry in a request: an invalid reference is reported with its path in the request. */
import { ElsewiseError } from '../documents/error.js';
import { readReference } from '../store/registry/reference.js';

/** Ignores a document in place of a reference. */
export function checkReference(value: unknown, path: string): void {
  if (typeof value === 'string') withPlace(path, () => readReference(value));
}

/** A text that is no reference or no alias is a fault of the request. Other errors stay. */
export function withPlace<T>(path: string, read: () => T): T {
  const told = (error: unknown): never => {
    if (!(error instanceof ElsewiseError) || error.code !== 'usage') throw error;
    throw new ElsewiseError('bad-request', error.detail, path);
  };
  try {
    const value = read();
    return value instanceof Promise ? (value.catch(told) as T) : value;
  } catch (error) {
    return told(error);
  }
}
