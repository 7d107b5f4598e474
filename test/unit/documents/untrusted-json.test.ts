/** JSON from a network: a refusal quotes nothing of the content, and names comments. */
import { describe, expect, it } from 'vitest';
import { parseUntrusted } from '../../../src/documents/untrusted-json.js';

const parse = (text: string) => parseUntrusted(new TextEncoder().encode(text));

describe('parseUntrusted', () => {
  it.each(['{\n  // ? the target\n  "a": 1\n}', '/* a policy */ {}'])('names the comments of %j', (text) => {
    expect(() => parse(text)).toThrow(/^body: this is JSON with comments, .*"policies push"/);
  });

  it('does not take text for a comment', () => {
    expect(() => parse('{"a": "// no comment", secret}')).toThrow(
      /^body: this is not JSON in UTF-8: line 1, column 24$/,
    );
  });
});
