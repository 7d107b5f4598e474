import { describe, expect, it } from 'vitest';
import { headerFeatures } from '../../../src/jobs/rows/csv.js';
import { RowSource } from '../../../src/jobs/rows/row-source.js';
import { smallModel } from './small-model.js';

const model = smallModel();
const HEADER = 'id,age,income,owner,city\n';

async function* pieces(...parts: (string | number[])[]) {
  for (const part of parts) yield Buffer.from(part as string);
}

async function readAll(name: string, ...parts: (string | number[])[]) {
  const source = await RowSource.open(pieces(...parts), name, headerFeatures(model));
  const chunks = [];
  for (let chunk = await source.take(2); chunk; chunk = await source.take(2)) chunks.push(chunk);
  return { source, chunks, text: chunks.map(({ bytes }) => bytes.toString()).join('') };
}

describe('the input', () => {
  it('is numbered through all chunks', async () => {
    const { chunks } = await readAll('rows.csv', HEADER, 'a,1,2,3,4\nb,1,2', ',3,4\n\nc,1,2,3,4');
    expect(chunks.map(({ firstRow, rows }) => [firstRow, rows])).toEqual([
      [1, 2],
      [3, 1],
    ]);
  });

  it('knows how far it is', async () => {
    const text = `${HEADER}a,1,2,3,4\nb,1,2,3,4\nc,1,2,3,4\n`;
    const { chunks } = await readAll('rows.csv', text);
    expect(chunks.at(-1)?.bytesEnd).toBe(text.length);
  });

  it('may begin with a byte order mark', async () => {
    const { source, text } = await readAll('-', [0xef], [0xbb, 0xbf], HEADER, 'a,1,2,3,4\n');
    expect(source.layout).toMatchObject({ format: 'csv', idColumn: 0 });
    expect(text).toBe('a,1,2,3,4\n');
  });

  it.each([
    ['rows.csv', HEADER, 'csv'],
    ['rows.TSV', HEADER.replaceAll(',', '\t'), 'csv'],
    ['rows.ndjson', 'nonsense\n', 'ndjson'],
    ['rows.jsonl', '', 'ndjson'],
    ['standard input', '\n {"id": 1}\n', 'ndjson'],
    ['rows', HEADER, 'csv'],
  ])('%s is read by its ending or its first byte', async (name, text, format) => {
    const { source } = await readAll(name, text);
    expect(source.layout.format).toBe(format);
  });

  it.each([
    ['an empty file', [], 'the input is empty: a CSV file needs a header'],
    ['only line ends', ['\n\n\r\n'], 'the input is empty'],
    ['UTF-16 without a mark', [[0x69, 0x00, 0x64, 0x00, 0x0a, 0x00]], 'name its encoding by --encoding'],
    ['gzip', [[0x1f, 0x8b, 0x08, 0x00]], 'compressed'],
    ['a spreadsheet', [[0x50, 0x4b, 0x03, 0x04]], 'spreadsheet'],
    ['a header that never ends', Array.from({ length: 20 }, () => 'x'.repeat(1 << 17)), 'does not end'],
  ])('%s is refused', async (_, parts, message) => {
    await expect(readAll('rows', ...parts)).rejects.toThrow(message);
  });
});
