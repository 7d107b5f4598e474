/** THE TABLE of input formats for the threads, and the checks for all formats: length and encoding of a record. */
import { isAscii, isUtf8 } from 'node:buffer';
import type { RowFault } from '../../documents/row-error.js';
import type { LoadedModel } from '../../models/load.js';
import type { RowLayout } from '../threads/messages.js';
import { type CsvParser, createCsvParser } from './csv.js';
import { createNdjsonParser, createResultRowParser } from './ndjson.js';
import { MAX_RECORD_BYTES, recordsOf } from './records.js';
import { numberedId, type ParsedRow, type RowParser } from './row.js';

function createRowParser(layout: RowLayout, model: LoadedModel): Partial<CsvParser> & { readonly parse: RowParser } {
  if (layout.format === 'csv') return createCsvParser(layout, model);
  return { parse: layout.holds === 'results' ? createResultRowParser(model) : createNdjsonParser(model) };
}

const TOO_LONG: RowFault[] = [{ path: 'row', message: `a record may have at most ${MAX_RECORD_BYTES} bytes` }];
const NOT_UTF8: RowFault[] = [{ path: 'row', message: 'not valid UTF-8' }];

/** The rows of a chunk, in order. Each is valid until the next one is read. */
export type RowReader = (chunk: Buffer, firstRow: number) => Generator<ParsedRow>;

/** `values`: numbers of CSV may be read already, which is faster. `spelling`: they are text, as in the input. */
export type ReadAs = 'values' | 'spelling';

export function createRowReader(layout: RowLayout, model: LoadedModel, readAs: ReadAs = 'spelling'): RowReader {
  const { parse, parseBytes: parsePlain } = createRowParser(layout, model);
  const parseBytes = readAs === 'values' ? parsePlain : undefined;
  return function* (chunk, firstRow) {
    // One byte, one character: positions in the text are positions in the chunk, and most chunks are ASCII.
    const text = isAscii(chunk) ? chunk.toString('latin1') : undefined;
    let rowNumber = firstRow;
    for (const bounds of recordsOf(chunk, layout)) {
      const { start, end } = bounds;
      if (end - start > MAX_RECORD_BYTES) yield longRow(rowNumber);
      else if (text !== undefined && parseBytes) yield parseBytes(chunk, text, bounds, rowNumber);
      else if (text !== undefined) yield parse(text.slice(start, end), rowNumber);
      else yield parseUtf8(parse, chunk.subarray(start, end), rowNumber);
      rowNumber++;
    }
  };
}

function parseUtf8(parse: RowParser, record: Buffer, rowNumber: number): ParsedRow {
  const row = parse(record.toString('utf8'), rowNumber);
  if (!isUtf8(record)) row.faults = NOT_UTF8;
  return row;
}

function longRow(rowNumber: number): ParsedRow {
  return { id: numberedId(rowNumber), raw: [], target: undefined, faults: TOO_LONG };
}
