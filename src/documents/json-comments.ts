/**
 * JSON with comments, for files that people write: line comments, block comments, and a comma after the last element. The removed characters
 * become spaces. Positions in messages of the JSON parser stay those of the file.
 */

/** A text may contain the signs of a comment. */
const TOKENS = /"(?:[^"\\]|\\.)*"|\/\/[^\n\r]*|\/\*[\s\S]*?\*\//g;
const STRINGS_AND_LAST_COMMAS = /"(?:[^"\\]|\\.)*"|(?<=[^\s,[{]\s*),(?=\s*[\]}])/g;

export function withoutComments(text: string): string {
  const plain = text.replace(TOKENS, (token) => (token.startsWith('"') ? token : blank(token)));
  return plain.replace(STRINGS_AND_LAST_COMMAS, (token) => (token === ',' ? ' ' : token));
}

const blank = (token: string): string => token.replace(/[^\n\r]/g, ' ');
