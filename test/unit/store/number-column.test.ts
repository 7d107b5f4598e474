/** Columns of numbers: every bit comes back, and what is alike takes little room. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteReader, ByteWriter } from '../../../src/store/codec/byte-streams.js';
import { NumberColumn, NumberReader } from '../../../src/store/codec/number-column.js';

function write(values: readonly number[], guesses: readonly number[] = []): Buffer {
  const column = new NumberColumn();
  for (const [i, value] of values.entries()) column.push(value, guesses[i]);
  const out = new ByteWriter();
  column.write(out);
  return out.bytes;
}

function read(bytes: Buffer, length: number, guesses: readonly number[] = []): number[] {
  const reader = new NumberReader(new ByteReader(bytes), length);
  return Array.from({ length }, (_, i) => reader.next(guesses[i]));
}

const anyNumber = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.integer({ min: -1e6, max: 1e6 }).map((k) => k / 1000),
);

describe('numbers', () => {
  it('come back as they were', () => {
    fc.assert(
      fc.property(fc.array(anyNumber), (values) => {
        expect(read(write(values), values.length)).toEqual(values);
      }),
      { numRuns: 500 },
    );
  });

  it('come back whatever was guessed', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyNumber, anyNumber)), (pairs) => {
        const [values, guesses] = [pairs.map(([value]) => value), pairs.map(([, guess]) => guess)];
        expect(read(write(values, guesses), values.length, guesses)).toEqual(values);
      }),
    );
  });

  const many = (value: (i: number) => number) => Array.from({ length: 1000 }, (_, i) => value(i));

  it.each([
    ['the same', many(() => Math.PI), 9],
    ['a byte each', many((i) => i % 200), 1020],
    ['short decimals', many((i) => ((i * 7919) % 10_000) / 1000), 2200],
    ['beyond any whole number', [1e300, 2e300, -1e300], 40],
    ['both zeros', [0, -0], 40],
    ['too far apart', [-4e9, 4e9], 40],
    ['negative', [-0.001, -1.5, 12.25], 40],
  ])('that are %s', (_, values, bytes) => {
    const written = write(values);
    expect(read(written, values.length)).toEqual(values);
    expect(written.length).toBeLessThanOrEqual(bytes);
  });

  it('are not made up when the column is over, or torn', () => {
    const bytes = write([1, 2, 3]);
    expect(() => read(bytes, 4)).toThrow();
    expect(() => read(bytes.subarray(0, 8), 3)).toThrow('end too soon');
  });
});
