/** The shape of a row that a caller of the library passes: programs without types may pass anything. */
import { ElsewiseError } from '../../documents/error.js';
import type { RowFault } from '../../documents/row-error.js';

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Throws where no result can name the row. A number is an id, as in NDJSON. */
export function readId(row: unknown): string {
  if (!isObject(row)) throw new ElsewiseError('bad-row', `expected { id, features }, received ${nameOf(row)}`, 'row');
  const { id } = row as { id?: unknown };
  if (typeof id !== 'string' && typeof id !== 'number')
    throw new ElsewiseError('bad-row', `expected a text or a number, received ${nameOf(id)}`, 'row.id');
  return String(id);
}

/** Undefined: the features can be read by name. */
export function shapeFault({ features }: { readonly features?: unknown }): RowFault | undefined {
  if (isObject(features)) return undefined;
  return {
    path: 'features',
    message: `expected an object with a value for each feature, received ${nameOf(features)}`,
  };
}

function nameOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  return value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
