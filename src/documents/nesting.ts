/**
 * The limit of nesting in documents. Brackets alone are short and can nest deeper than any stack: 40 kB of text nest 20,000 lists.
 * Recursive functions walk all documents. `parseDocument` therefore refuses a deeply nested document first.
 */
import { ElsewiseError } from './error.js';

/** More than any document needs: a dump of LightGBM nests one level for each level of a tree. */
export const MOST_LEVELS = 1000;

export class NestedTooDeeply extends ElsewiseError {
  constructor(path: string) {
    super('bad-document', `nested too deeply: at most ${MOST_LEVELS} levels are read`, path);
  }
}

export const isNested = (value: unknown): value is object =>
  value !== null && typeof value === 'object' && !ArrayBuffer.isView(value);

/** The error for a request: a document that is too deeply nested makes the request bad. */
export function ofRequest(error: unknown): unknown {
  return error instanceof NestedTooDeeply ? new ElsewiseError('bad-request', error.detail, 'body') : error;
}
