/** JSON from a network, which may hold anything. An error never quotes the content. */
import { ElsewiseError } from './error.js';

export function parseUntrusted(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch (error) {
    // the parser's own words quote the text, which may be about a person
    if (error instanceof SyntaxError || error instanceof TypeError)
      throw new ElsewiseError('bad-request', 'this is not JSON in UTF-8', 'body');
    throw error;
  }
}

/** The same of text in Redis; `what` it is. Where the fault is may be said, what stands there may not. */
export function parseStored(text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const place = /(at|in JSON at) position \d+/.exec((error as Error).message)?.[0] ?? '';
    throw new ElsewiseError('bad-json', `the ${what} is not valid JSON ${place}`.trimEnd());
  }
}
