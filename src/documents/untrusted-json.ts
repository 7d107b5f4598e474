/** JSON that somebody sent us over a network: it may be anything, and what is wrong with it is said without quoting it. */
import { ElsewiseError } from './error.js';

export function parseSent(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch (error) {
    // the parser's own words quote the text, which may be about a person
    if (error instanceof SyntaxError || error instanceof TypeError)
      throw new ElsewiseError('bad-request', 'this is not JSON in UTF-8', 'body');
    throw error;
  }
}

/** A body of brackets only is short and deeper than any stack. */
export function nestedTooDeeply(): ElsewiseError {
  return new ElsewiseError('bad-request', 'nested too deeply', 'body');
}
