/** Keys that an object names twice: JSON.parse would keep one value and lose the other. */
import { describe, expect, it } from 'vitest';
import { findRepeatedKey } from '../../../src/documents/repeated-key.js';
import { parseUntrusted } from '../../../src/documents/untrusted-json.js';

const MANY = Array.from({ length: 40 }, (_, k) => `"k${k}": ${k}`).join(', ');

describe('findRepeatedKey', () => {
  it.each([
    ['{"a": 1, "a": 2}', ['a']],
    ['{"features": {"age": {"min": 1}, "income": {}, "age": {}}}', ['features', 'age']],
    ['[1, {"x": [[], {"b": ",", "c": 1, "b": 2}]}]', [1, 'x', 1, 'b']],
    ['{"a": 1, "\\u0061": 2}', ['a']],
    ['{"a\\\\": 1, "a\\\\": 2}', ['a\\']],
    [`{${MANY}, "k3": 1}`, ['k3']],
    [`{${MANY}, "k30": 1}`, ['k30']],
    ['{"__proto__": 1, "__proto__": 2}', ['__proto__']],
  ])('finds the key of %s', (text, path) => {
    expect(findRepeatedKey(text)).toEqual(path);
  });

  it.each([
    '{}',
    '[]',
    '"a"',
    '3',
    '{"a": "a", "b": ["a", "a"], "c": {"a": {"a": 1}}}',
    '{"a": "\\",\\"a\\":", "b": "\\\\"}',
    '[{"a": 1}, {"a": 2}]',
    '{"a": [{"b": [1, 2, 3]}, {"b": 1}], "b": {}}',
    `{${MANY}}`,
  ])('finds none in %s', (text) => {
    expect(() => JSON.parse(text)).not.toThrow();
    expect(findRepeatedKey(text)).toBeUndefined();
  });
});

it('is told of a request with its path', () => {
  const bytes = Buffer.from('{"policy": {"features": {"age": {"change": "never"}, "age": {"change": "any"}}}}');
  expect(() => parseUntrusted(bytes)).toThrow(/^body\.policy\.features\.age: is named twice$/);
});
