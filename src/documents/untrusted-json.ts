/** JSON from a network, which may contain anything. An error quotes no value of the content. */
import { ElsewiseError } from './error.js';
import { refuseRepeatedKeys } from './repeated-key.js';

/** `root`: the name of the document in messages about its keys. A key that an object names twice is refused: one of its values would be lost. */
export function parseUntrusted(bytes: Uint8Array, root = 'body'): unknown {
  let text = '';
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const value = JSON.parse(text) as unknown;
    refuseRepeatedKeys(text, 'bad-request', root);
    return value;
  } catch (error) {
    // the parser's own message quotes the text, which may contain personal data
    if (error instanceof SyntaxError || error instanceof TypeError)
      throw new ElsewiseError(
        'bad-request',
        COMMENT_LINE.test(text) ? WITH_COMMENTS : `this is not JSON in UTF-8${placeOf(error, text)}`,
        'body',
      );
    throw error;
  }
}

/** A line that begins with a comment, as in the files of `policies init`. */
const COMMENT_LINE = /^[ \t]*\/[/*]/m;
const WITH_COMMENTS =
  'this is JSON with comments, and a request takes JSON without comments: the command "policies push" removes the comments of a policy';

/** The line and the column of the fault, counted from 1. */
function placeOf({ message }: Error, text: string): string {
  const position = Number(POSITION.exec(message)?.[1] ?? searchFault(text));
  if (Number.isNaN(position)) return '';
  const lines = text.slice(0, position).split('\n');
  return `: line ${lines.length}, column ${lines[lines.length - 1].length + 1}`;
}

const POSITION = /at position (\d+)/;
/** A longer text is not searched: each step of a search parses the text once more. */
const SEARCHED_LENGTH = 32_768;

/** Not every message of the parser has a position. A text is faulty from its first character that no JSON has at this place. */
function searchFault(text: string): number {
  if (text.length > SEARCHED_LENGTH) return Number.NaN;
  let [begun, faulty] = [0, text.length + 1];
  while (faulty - begun > 1) {
    const middle = (begun + faulty) >> 1;
    if (isBeginning(text.slice(0, middle))) begun = middle;
    else faulty = middle;
  }
  return begun;
}

/** Whether the text is JSON, or JSON that ends too early. */
function isBeginning(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const { message } = error as Error;
    return ENDS_EARLY.test(message) || Number(POSITION.exec(message)?.[1]) === text.length;
  }
}

const ENDS_EARLY = /^Un(expected end|terminated string)/;

/** The same for text in Redis. `what`: its name. The message may name the position of the fault, but not quote the content. */
export function parseStored(text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const place = /at position \d+/.exec((error as Error).message)?.[0];
    throw new ElsewiseError('bad-json', `the ${what} is not valid JSON${place ? `: ${place}` : ''}`);
  }
}
