/**
 * How deeply documents may be nested. Brackets alone are short and deeper than any stack: 40 kB of text nest 20,000 lists. All documents are
 * walked by functions that call themselves, therefore `parseDocument` refuses a deep one before anything else walks the document.
 */
import { ElsewiseError } from './error.js';

/** More than any document needs: a dump of LightGBM nests a level for each level of a tree. */
export const MOST_LEVELS = 1000;

export class NestedTooDeeply extends ElsewiseError {
  constructor(path: string) {
    super('bad-document', `nested too deeply: at most ${MOST_LEVELS} levels are read`, path);
  }
}

/** The error of what came with a request: the request is bad where the document in it is too deep. */
export function ofRequest(error: unknown): unknown {
  return error instanceof NestedTooDeeply ? new ElsewiseError('bad-request', error.detail, 'body') : error;
}
