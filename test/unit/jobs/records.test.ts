import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecordSplitter } from '../../../src/jobs/rows/record-splitter.js';
import { MAX_RECORD_BYTES, type RecordGrammar, recordsOf } from '../../../src/jobs/rows/records.js';

const CSV: RecordGrammar = { format: 'csv', delimiter: ',' };
const NDJSON: RecordGrammar = { format: 'ndjson' };

/** The records of a text that arrives in the given pieces and is taken in chunks of at most `maxRows`. */
function split(pieces: readonly Buffer[], grammar: RecordGrammar, maxRows = 3, maxBytes = 1000): string[] {
  const splitter = new RecordSplitter(grammar);
  const records: string[] = [];
  const drain = () => {
    for (let run = splitter.take(maxRows, maxBytes); run; run = splitter.take(maxRows, maxBytes)) {
      const found = recordTexts(run.bytes, grammar);
      expect(found).toHaveLength(run.rows);
      records.push(...found);
    }
  };
  for (const piece of pieces) {
    splitter.push(piece);
    drain();
  }
  splitter.end();
  drain();
  return records;
}

function recordTexts(bytes: Buffer, grammar: RecordGrammar): string[] {
  return [...recordsOf(bytes, grammar)].map(({ start, end }) => bytes.toString('latin1', start, end));
}

const whole = (text: string, grammar: RecordGrammar) => split([Buffer.from(text, 'latin1')], grammar);

/** Cuts bytes at the given positions. */
function cut(bytes: Buffer, positions: readonly number[]): Buffer[] {
  const ends = [...new Set(positions.map((p) => p % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...ends, bytes.length].map((end, i) => bytes.subarray(i === 0 ? 0 : ends[i - 1], end));
}

describe('splitting CSV', () => {
  it.each([
    ['lines', 'a,1\nb,2\n', ['a,1', 'b,2']],
    ['no line end at the end', 'a,1\nb,2', ['a,1', 'b,2']],
    ['CR LF', 'a,1\r\nb,2\r\n', ['a,1', 'b,2']],
    ['empty lines', '\n\na,1\n\r\n\nb,2\n\n', ['a,1', 'b,2']],
    ['a quoted line end', '"a\nb",1\nc,2\n', ['"a\nb",1', 'c,2']],
    ['a quoted line end up to the end', 'c,2\n"a\nb"', ['c,2', '"a\nb"']],
    ['a quoted line end, then more up to the end', 'c,2\n"a\nb",x', ['c,2', '"a\nb",x']],
    ['a quoted quote', '"a""\nb",1\nc,2\n', ['"a""\nb",1', 'c,2']],
    ['a quote in the middle of a field is a letter', 'a"b,1\nc"d,2\n', ['a"b,1', 'c"d,2']],
    ['a quote that is never closed costs its line', 'x,"a\nb,2\nc,3\n', ['x,"a', 'b,2', 'c,3']],
    ['a quote closed in the wrong place costs its line', '"a\n"b",2\nc,3\n', ['"a', '"b",2', 'c,3']],
    ['a quoted field with CR LF behind it', '"a"\r\n"b"\r\n', ['"a"', '"b"']],
    ['nothing', '', []],
  ])('%s', (_, text, records) => {
    expect(whole(text, CSV)).toEqual(records);
  });

  it('gives the same records however the bytes arrive and are taken', () => {
    const piece = fc.constantFrom('"', '""', '\n', '\r\n', ',', 'a', '1', '\xff', '"a",', ',"b\nc"\n');
    const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
    const taking = { maxRows: fc.integer({ min: 1, max: 5 }), maxBytes: fc.integer({ min: 1, max: 50 }) };
    fc.assert(
      fc.property(text, fc.array(fc.nat(200)), fc.record(taking), (source, cuts, { maxRows, maxBytes }) => {
        const bytes = Buffer.from(source, 'latin1');
        expect(split(cut(bytes, cuts), CSV, maxRows, maxBytes)).toEqual(whole(source, CSV));
      }),
      { numRuns: 500 },
    );
  });

  it('keeps every byte that is not a line end', () => {
    const piece = fc.constantFrom('"', '\n', ',', 'a', 'bb');
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join('');
        const letters = (t: string) => t.replaceAll(/\n/g, '');
        expect(letters(whole(text, CSV).join(''))).toBe(letters(text));
      }),
    );
  });
});

describe('splitting NDJSON', () => {
  it('is by lines, quotes or not', () => {
    expect(whole('{"a":1}\n\n  \n{"b":"x\\"\r\n', NDJSON)).toEqual(['{"a":1}', '{"b":"x\\"']);
  });

  it('gives the same records however the bytes arrive', () => {
    const text = fc.array(fc.constantFrom('{', '"', '\n', '\r\n', ' ', 'a'), { maxLength: 60 });
    fc.assert(
      fc.property(text, fc.array(fc.nat(100)), (pieces, cuts) => {
        const bytes = Buffer.from(pieces.join(''), 'latin1');
        expect(split(cut(bytes, cuts), NDJSON)).toEqual(whole(pieces.join(''), NDJSON));
      }),
    );
  });
});

describe('a record that is too long', () => {
  const long = 'x'.repeat(3 * MAX_RECORD_BYTES);
  const pieces = (text: string, size: number) =>
    Array.from({ length: Math.ceil(text.length / size) }, (_, i) => Buffer.from(text.slice(i * size, (i + 1) * size)));

  it.each([[CSV], [NDJSON]])('is cut, and told from its neighbours (%o)', (grammar) => {
    const [before, found, after, ...none] = split(pieces(`a\n${long}\nb\n`, 1 << 16), grammar, 10, 1 << 18);
    expect([before, after, none]).toEqual(['a', 'b', []]);
    expect(found.length).toBeGreaterThan(MAX_RECORD_BYTES);
    expect(found.length).toBeLessThan(2 * MAX_RECORD_BYTES);
  });

  it('ends with the input as well', () => {
    expect(split(pieces(`a\n${long}`, 1 << 16), CSV)).toHaveLength(2);
  });

  it('costs one line when it is an open quote', () => {
    const rows = 'row,1\n'.repeat(MAX_RECORD_BYTES / 4);
    const records = split(pieces(`"open\n${rows}`, 1 << 16), CSV, 1000, 1 << 18);
    expect(records).toHaveLength(1 + MAX_RECORD_BYTES / 4);
  });
});
