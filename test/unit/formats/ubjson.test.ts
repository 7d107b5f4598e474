import { describe, expect, it } from 'vitest';
import { decodeUbjson } from '../../../src/formats/xgboost/ubjson.js';

/** Text as bytes, numbers as the bytes that they are. */
const bytes = (...parts: (string | number)[]) =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === 'number' ? [part] : [...new TextEncoder().encode(part)])));

const float32 = (value: number) => {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  return [...new Uint8Array(view.buffer)];
};

/** Plain UBJSON without counts or types: the decoder has to take it as well as what XGBoost writes. */
function encode(value: unknown): (string | number)[] {
  if (value === null) return ['Z'];
  if (typeof value === 'boolean') return [value ? 'T' : 'F'];
  if (typeof value === 'number') return Number.isInteger(value) ? ['l', ...int32(value)] : ['D', ...float64(value)];
  if (typeof value === 'string') return ['S', ...encodeKey(value)];
  if (Array.isArray(value)) return ['[', ...value.flatMap(encode), ']'];
  return [
    '{',
    ...Object.entries(value as object).flatMap(([key, child]) => [...encodeKey(key), ...encode(child)]),
    '}',
  ];
}

const encodeKey = (key: string) => ['U', new TextEncoder().encode(key).length, key];

function int32(value: number): number[] {
  const view = new DataView(new ArrayBuffer(4));
  view.setInt32(0, value);
  return [...new Uint8Array(view.buffer)];
}

function float64(value: number): number[] {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return [...new Uint8Array(view.buffer)];
}

describe('decodeUbjson', () => {
  it.each([
    [null],
    [true],
    [-70000],
    [0.1],
    ['größer'],
    [[]],
    [{}],
    [
      {
        learner: {
          names: ['a', 'b'],
          empty: [],
          deep: [
            [1, 2],
            [null, { x: false }],
          ],
        },
        version: [1, 7, 4],
      },
    ],
  ])('gives back %j', (value) => {
    expect(decodeUbjson(bytes(...encode(value)))).toEqual(value);
  });

  it.each<[string, (string | number)[], unknown]>([
    ['int8', ['i', 0xff], -1],
    ['uint8', ['U', 0xff], 255],
    ['int16', ['I', 0xff, 0xfe], -2],
    ['int64', ['L', 0, 0, 0, 1, 0, 0, 0, 0], 2 ** 32],
    ['float32', ['d', ...float32(0.1)], Math.fround(0.1)],
    ['a character', ['C', 'x'], 'x'],
    ['filler', ['N', 'N', 'T', 'N'], true],
    ['a list with a count', ['[', '#', 'i', 2, 'T', 'Z'], [true, null]],
    [
      'a list of one type',
      ['[', '$', 'd', '#', 'L', 0, 0, 0, 0, 0, 0, 0, 2, ...float32(1.5), ...float32(-2)],
      [1.5, -2],
    ],
    ['an object with a count', ['{', '#', 'i', 1, 'i', 1, 'a', 'T'], { a: true }],
    ['an object of one type', ['{', '$', 'i', '#', 'i', 1, 'i', 1, 'a', 7], { a: 7 }],
    ['filler in a list', ['[', 'N', 'T', 'N', ']'], [true]],
  ])('reads %s', (_, parts, value) => {
    expect(decodeUbjson(bytes(...parts))).toEqual(value);
  });

  it.each<[string, (string | number)[], RegExp]>([
    ['an early end', ['[', 'T'], /byte 2: the file ends too early/],
    ['an early end in a number', ['D', 0], /ends too early/],
    ['a longer file', ['T', 'T'], /something follows/],
    ['an unknown marker', ['q'], /unknown marker "q"/],
    ['a number as text', ['H', 'i', 1, '1'], /unknown marker "H"/],
    ['a type without a count', ['[', '$', 'i', ']'], /needs a count/],
    ['a negative length', ['S', 'i', 0xff], /expected a length/],
    ['a count that cannot be', ['[', '$', 'T', '#', 'l', 0x7f, 0xff, 0xff, 0xff], /do not fit into the 0 bytes/],
    ['a number that is too large', ['L', 0x7f, 0, 0, 0, 0, 0, 0, 0], /too large/],
    ['text that is not UTF-8', ['S', 'i', 1, 0xff], /not UTF-8/],
    ['deep nesting', Array(100).fill('['), /nested more than 64 deep/],
  ])('refuses %s', (_, parts, message) => {
    expect(() => decodeUbjson(bytes(...parts))).toThrow(message);
  });

  it('makes no prototype of a key', () => {
    const value = decodeUbjson(bytes('{', ...encodeKey('__proto__'), '{', '}', '}')) as object;
    expect(Object.keys(value)).toEqual(['__proto__']);
  });
});
