/** JSON from a network, which may contain anything. An error never quotes the content. */
import { ElsewiseError } from './error.js';

export function parseUntrusted(bytes: Uint8Array): unknown {
  let text = '';
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return JSON.parse(text) as unknown;
  } catch (error) {
    // the parser's own message quotes the text, which may contain personal data
    if (error instanceof SyntaxError || error instanceof TypeError)
      throw new ElsewiseError(
        'bad-request',
        COMMENT_LINE.test(text) ? WITH_COMMENTS : 'this is not JSON in UTF-8',
        'body',
      );
    throw error;
  }
}

/** A line that begins with a comment, as in the files of `policies init`. */
const COMMENT_LINE = /^[ \t]*\/[/*]/m;
const WITH_COMMENTS =
  'this is JSON with comments, and a request takes JSON without comments: the command "policies push" removes the comments of a policy';

/** The same for text in Redis. `what`: its name. The message may name the position of the fault, but not quote the content. */
export function parseStored(text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const place = /(at|in JSON at) position \d+/.exec((error as Error).message)?.[0] ?? '';
    throw new ElsewiseError('bad-json', `the ${what} is not valid JSON ${place}`.trimEnd());
  }
}
