/** Result lines as columns: only a rearrangement, whatever the lines are. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packLines, unpack, unpackNow } from '../../../src/store/block.js';
import { joinColumns, splitColumns } from '../../../src/store/line-columns.js';

const roundTrip = (text: string) => {
  const columns = splitColumns(Buffer.from(text));
  return columns ? joinColumns(columns).toString() : undefined;
};

describe('lines of JSON', () => {
  it('come back byte for byte', () => {
    const lines = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(lines, (documents) => {
        const text = documents.map((document) => `${JSON.stringify(document)}\n`).join('');
        expect(roundTrip(text)).toBe(text);
      }),
    );
  });

  it('come back when they are alike and refer to their own values', () => {
    const value = fc.oneof(fc.double({ noNaN: true }), fc.string(), fc.boolean(), fc.constant(null));
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value, fc.nat(3)), { minLength: 1, maxLength: 200 }), (rows) => {
        const documents = rows.map(([a, b, n]) => ({ id: a, '^1': b, again: a, list: Array(n).fill(b), '@': '=*^0' }));
        const text = documents.map((document) => `${JSON.stringify(document)}\n`).join('');
        expect(roundTrip(text)).toBe(text);
      }),
    );
  });

  it.each([
    '{"a":"\\"\\\\"}\n{"a":"\\\\\\""}\n',
    '{}\n[]\n1\n"text"\nnull\n',
    '{"a":[1,[2,{"b":3}]]}\n',
    '{"ü":"ß€😀"}\n',
  ])('such as %j', (text) => {
    expect(roundTrip(text)).toBe(text);
  });
});

describe('other bytes', () => {
  it.each(['', '\n', 'no end', '{"a":1}\n\n', '{"a":\u0001}\n', '{"a":"torn\n', 'a "b" c\n', '{"a":1}\r\n'])(
    'such as %j',
    async (text) => {
      const back = roundTrip(text);
      if (back !== undefined) expect(back).toBe(text);
      const { data, digest } = packLines(Buffer.from(text));
      expect((await unpack(data, digest, 'it')).toString()).toBe(text);
      expect(unpackNow({ data, digest })!.toString()).toBe(text);
    },
  );

  it('are packed as well, whatever they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const packed = packLines(bytes);
        expect(Buffer.from(unpackNow(packed)!).equals(bytes)).toBe(true);
      }),
    );
  });
});

describe('a damaged block', () => {
  it('is none', async () => {
    const { data, digest } = packLines(Buffer.from('{"a":1}\n{"a":2}\n'));
    const torn = data.subarray(0, data.length - 2);
    expect(unpackNow({ data: torn, digest })).toBeUndefined();
    await expect(unpack(torn, digest, 'it')).rejects.toThrow('damaged');
    expect(unpackNow({ data, digest: digest.replace(/.$/, (last) => (last === '0' ? '1' : '0')) })).toBeUndefined();
  });
});
