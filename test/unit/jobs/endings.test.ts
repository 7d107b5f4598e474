import { describe, expect, it } from 'vitest';
import { inputFormat, outputFormat } from '../../../src/jobs/rows/endings.js';

describe('the ending of a name', () => {
  it.each([
    ['rows.csv', 'csv'],
    ['rows.TSV', 'csv'],
    ['a.b/rows.jsonl', 'ndjson'],
    ['rows.parquet', 'parquet'],
    ['a.b/rows', undefined],
    ['standard input', undefined],
    ['rows.2026', undefined],
  ])('decides how %s is read', (name, format) => {
    expect(inputFormat(name)).toBe(format);
  });

  it('decides how a file is written; without one it is NDJSON', () => {
    const formats = ['-', '/dev/stdout', 'o.ndjson', 'o.jsonl', 'o.csv', 'o.PARQUET'].map(outputFormat);
    expect(formats).toEqual(['ndjson', 'ndjson', 'ndjson', 'ndjson', 'csv', 'parquet']);
  });

  it('is refused with the accepted ones where it is not known', () => {
    expect(() => inputFormat('rows.xlsx')).toThrow(
      '.xlsx is not known: give one of .ndjson, .jsonl, .csv, .parquet, .tsv',
    );
    expect(() => outputFormat('out.json')).toThrow('.json is not known: give one of .ndjson, .jsonl, .csv, .parquet');
  });
});
