/** The lines of a file of results, in portions. The first line tells other formats apart, and other documents. */
import { ElsewiseError } from '../../documents/error.js';
import type { ResultDocument } from '../../documents/result-document.js';
import { asBuffer } from '../../store/codec/byte-streams.js';
import { inputFormat } from '../rows/endings.js';
import { type RecordRun, RecordSplitter } from '../rows/record-splitter.js';
import type { ByteSource } from '../rows/streams.js';

const GRAMMAR = { format: 'ndjson' } as const;
const PORTION_BYTES = 1 << 18;

export type ResultHead = Pick<ResultDocument, 'id' | 'model' | 'policy'>;

export class ResultLines {
  readonly #bytes: AsyncIterator<Uint8Array>;
  readonly #splitter = new RecordSplitter(GRAMMAR);
  readonly #name: string;
  #first: Buffer | undefined;
  #ended = false;

  constructor({ name, bytes }: ByteSource) {
    const format = inputFormat(name);
    if (format === 'csv' || format === 'parquet') throw notWhole(name, `is ${FORMATS[format]}`);
    this.#name = name;
    this.#bytes = bytes[Symbol.asyncIterator]();
  }

  /** Model and policy of the first result; undefined without results. */
  async head(): Promise<ResultHead | undefined> {
    this.#first = (await this.#next(1))?.bytes;
    return this.#first && readHead(this.#first, this.#name);
  }

  /** The next lines, at most `rows`, fewer at the end. */
  async take(rows: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    let left = rows;
    if (left > 0 && this.#first) {
      parts.push(this.#first);
      this.#first = undefined;
      left--;
    }
    while (left > 0) {
      const run = await this.#next(left);
      if (!run) break;
      parts.push(run.bytes);
      left -= run.rows;
    }
    return Buffer.concat(parts);
  }

  async #next(rows: number): Promise<RecordRun | undefined> {
    for (;;) {
      const run = this.#splitter.take(rows, PORTION_BYTES);
      if (run || this.#ended) return run;
      const { done, value } = await this.#bytes.next();
      if (done) this.#splitter.end();
      else this.#splitter.push(asBuffer(value));
      this.#ended = done === true;
    }
  }
}

const FORMATS = { csv: 'CSV', parquet: 'Parquet' } as const;

function notWhole(name: string, what: string): ElsewiseError {
  const advice = 'whole results are needed: NDJSON (.ndjson) of explain or batch wait, without --detail brief';
  return new ElsewiseError('bad-input', `${what}: ${advice}`, name);
}

function readHead(line: Buffer, name: string): ResultHead {
  const value = parsed(line.toString('utf8'));
  if (value?.schema === 'elsewise.brief/v1') throw notWhole(name, 'has brief lines');
  if (value?.schema !== 'elsewise.result/v1' || !value.model || !value.policy)
    throw notWhole(name, 'its first line is no result');
  return value;
}

function parsed(text: string): (ResultHead & { readonly schema?: string }) | undefined {
  try {
    return JSON.parse(text) as (ResultHead & { readonly schema?: string }) | undefined;
  } catch {
    return undefined;
  }
}
