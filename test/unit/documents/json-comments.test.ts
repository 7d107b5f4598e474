/** JSON with comments: comments and last commas go, texts and positions stay. */
import { describe, expect, it } from 'vitest';
import { withoutComments } from '../../../src/documents/json-comments.js';

const parse = (text: string): unknown => JSON.parse(withoutComments(text));

describe('withoutComments', () => {
  it('removes comments of both kinds and commas after the last element', () => {
    expect(parse('// first\n{ "a": [1, 2, /* two */ ], // end\n "b": {},\n}')).toEqual({ a: [1, 2], b: {} });
  });

  it('keeps texts that look like comments or commas', () => {
    const value = { url: 'http://x/*y*/', comma: ',}', quote: '\\"// no', 'a//b': ',]' };
    expect(parse(JSON.stringify(value))).toEqual(value);
  });

  it('keeps positions', () => {
    const text = '{ /* one\n two */ "a": 1 // end\n}';
    const plain = withoutComments(text);
    expect(plain).toHaveLength(text.length);
    expect(plain.indexOf('"a"')).toBe(text.indexOf('"a"'));
    expect(plain.split('\n')).toHaveLength(3);
  });

  it('refuses a comma without an element', () => {
    expect(() => parse('[,]')).toThrow();
    expect(() => parse('{ "a": 1,, }')).toThrow();
  });
});
