/** Results from NDJSON, one at a time: memory does not grow with their number. A line that is no full result is refused with its number. */
import { ElsewiseError } from '../../documents/error.js';
import { parseDocument } from '../../documents/parse.js';
import { type ResultDocument, resultSchema } from '../../documents/result-document.js';
import { inputFormat } from '../rows/endings.js';
import { type ByteSource, openSource } from '../rows/streams.js';
import { BRIEF_SCHEMA } from './brief-line.js';

export interface ReadLine {
  readonly result: ResultDocument;
  /** The number of the line, from 1. */
  readonly line: number;
}

/** `-` is standard input. */
export async function openResults(path: string): Promise<ByteSource> {
  const format = path === '-' ? undefined : inputFormat(path);
  if (format === 'csv' || format === 'parquet')
    throw new ElsewiseError(
      'bad-input',
      'results are read from NDJSON: a table leaves out parts of a result. Write them with --output results.ndjson',
      path,
    );
  return openSource(path);
}

export async function* readResults(source: ByteSource): AsyncGenerator<ReadLine> {
  let line = 0;
  let isEmpty = true;
  for await (const bytes of linesOf(source.bytes)) {
    line++;
    const text = bytes.toString().trim();
    if (text === '') continue;
    yield { result: parseResult(text, `${source.name}, line ${line}`), line };
    isEmpty = false;
  }
  if (isEmpty) throw noResults(source.name);
}

export const noResults = (name: string): ElsewiseError =>
  new ElsewiseError('bad-input', 'has no results: give a file that explain or batch wait wrote', name);

function parseResult(text: string, place: string): ResultDocument {
  const value = readObject(text, place);
  const { schema } = value;
  if (schema !== undefined && schema !== BRIEF_SCHEMA) return parseDocument(resultSchema, value, place);
  throw new ElsewiseError(
    'bad-input',
    schema === BRIEF_SCHEMA
      ? 'these are brief results, without the values of people: write the results again without --detail brief'
      : 'this is no result: give a file that explain or batch wait wrote as NDJSON',
    place,
  );
}

/** The message of a parser may quote data of people. */
function readObject(text: string, place: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new ElsewiseError(
    'bad-input',
    'this is no JSON object: is the file NDJSON, and is its last line whole?',
    place,
  );
}

const LF = 0x0a;

/** Only LF ends a line: JSON may have other line separators within a text. */
async function* linesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let parts: Uint8Array[] = [];
  for await (const chunk of source) {
    let start = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      yield Buffer.concat([...parts, chunk.subarray(start, end)]);
      parts = [];
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  }
  if (parts.length) yield Buffer.concat(parts);
}
