/**
 * The main thread's side of a thread that reads or writes a table. Decoding a row group of Parquet or writing thousands of lines of CSV takes
 * long, and the loop of the API or of a worker has other clients. The thread lives for one file. Its memory is limited: a small file may
 * claim billions of values.
 */
import type { FileHandle } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { ElsewiseError } from '../../documents/error.js';
import type { PolicyDocument } from '../../documents/policy-document.js';
import { TABLE_THREAD } from '../../places.js';
import { openSpooled, type ParquetSource } from '../rows/parquet-rows.js';
import type { HeaderFeature } from '../threads/messages.js';
import type {
  ComparisonWork,
  ReportWork,
  SummaryWork,
  TablePart,
  TableReply,
  TableRequest,
  TableWork,
  WriteTableWork,
} from './table-messages.js';

const HEAP_LIMIT_MB = 1024;
const EMPTY = new Uint8Array();

export class TableThread {
  readonly #worker: Worker;
  /** The request under way. */
  #asked: { resolve(reply: TableReply): void; reject(error: Error): void } | undefined;
  #loss: Error | undefined;

  constructor(work: TableWork) {
    this.#worker = new Worker(TABLE_THREAD, {
      workerData: work,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT_MB },
    });
    this.#worker.on('message', (reply: TableReply) => this.#asked?.resolve(reply));
    this.#worker.once('error', (error) => this.#lose(lost(error)));
    this.#worker.once('exit', () => this.#lose(lost()));
  }

  #lose(error: Error): void {
    this.#loss ??= error;
    this.#asked?.reject(this.#loss);
  }

  async ask(request: TableRequest): Promise<TablePart> {
    if (this.#loss) throw this.#loss;
    const reply = await new Promise<TableReply>((resolve, reject) => {
      this.#asked = { resolve, reject };
      this.#worker.postMessage(request);
    });
    if ('part' in reply) return reply.part;
    const { code, message, path, faults } = reply.refusal;
    throw new ElsewiseError(code, message, path, faults);
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

function lost(error?: Error & { code?: string }): ElsewiseError {
  const isMemory = error?.code === 'ERR_WORKER_OUT_OF_MEMORY';
  const reason = isMemory ? `it needs more than ${HEAP_LIMIT_MB} MB` : (error?.message ?? 'its thread ended');
  return new ElsewiseError(isMemory ? 'bad-input' : 'thread-lost', `the table cannot be converted: ${reason}`);
}

/** The rows of a Parquet file as lines of NDJSON, decoded in a thread. `maxBytes`: for a stream, which is copied to a temporary file. */
export function parquetInThread(maxBytes?: number) {
  return async (source: ParquetSource, name: string, features: readonly HeaderFeature[]) => {
    const file = await openSpooled(source, name, maxBytes);
    const { size } = await file.stat();
    const thread = new TableThread({ kind: 'read', file: { fd: file.fd, bytes: size }, name, features });
    try {
      const { warnings = [] } = await thread.ask({ step: 'begin' });
      return { warnings, lines: linesOf(thread), close: () => closeBoth(thread, file) };
    } catch (error) {
      await closeBoth(thread, file);
      throw error;
    }
  };
}

async function* linesOf(thread: TableThread): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { bytes, isEnd } = await thread.ask({ step: 'step' });
    if (isEnd) return;
    yield bytes;
  }
}

/** The thread reads by the number of the file. The number must not stand for another file while the thread lives. */
async function closeBoth(thread: TableThread, file: FileHandle): Promise<void> {
  await thread.close();
  await file.close();
}

/** Parts of results, each whole lines of NDJSON, in another format. The thread ends with the reading. */
export async function* tableInThread(
  work: Omit<WriteTableWork, 'kind'>,
  parts: AsyncIterable<{ readonly bytes: Uint8Array }>,
): AsyncGenerator<Uint8Array> {
  const thread = new TableThread({ kind: 'write', ...work });
  try {
    let { bytes: header } = await thread.ask({ step: 'begin' });
    for await (const { bytes: results } of parts) {
      const { bytes } = await thread.ask({ step: 'step', results });
      yield* filled(header, bytes);
      header = EMPTY;
    }
    const { bytes } = await thread.ask({ step: 'end' });
    yield* filled(header, bytes);
  } finally {
    await thread.close();
  }
}

/** The bytes of a summary document or a report of results. The thread ends with it. */
export async function digestInThread(
  work: SummaryWork | ReportWork,
  parts: AsyncIterable<{ readonly bytes: Uint8Array }>,
): Promise<Uint8Array> {
  const thread = new TableThread(work);
  try {
    for await (const { bytes: results } of parts) await thread.ask({ step: 'step', results });
    return (await thread.ask({ step: 'end' })).bytes;
  } finally {
    await thread.close();
  }
}

/** The bytes of a comparison document. `parts`: the results of the first side. `solve`: rows -> the results of the second side. */
export function comparisonInThread(
  work: Omit<ComparisonWork, 'kind'>,
  parts: Results,
  solve: (rows: Uint8Array) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  return inComparison(work, parts, async (thread, rows) => {
    if (rows.length > 0) await thread.ask({ step: 'step', results: await solve(rows) });
    return (await thread.ask({ step: 'end' })).bytes;
  });
}

/** A random sample of the rows of results, as NDJSON. The same seed gives the same sample. */
export function sampleInThread(
  policy: PolicyDocument,
  most: number,
  seed: number,
  parts: Results,
): Promise<Uint8Array> {
  const options = { solved: 'all', change: '', hasSameCosts: true, seed } as const;
  return inComparison({ options, policy, most }, parts, async (_thread, rows) => rows);
}

type Results = AsyncIterable<{ readonly bytes: Uint8Array }>;

/** `use` gets the rows of the people who were drawn. */
async function inComparison(
  work: Omit<ComparisonWork, 'kind'>,
  parts: Results,
  use: (thread: TableThread, rows: Uint8Array) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const thread = new TableThread({ kind: 'compare', ...work });
  try {
    for await (const { bytes: results } of parts) await thread.ask({ step: 'step', results });
    return await use(thread, (await thread.ask({ step: 'turn' })).bytes);
  } finally {
    await thread.close();
  }
}

/** The header goes with the first results: nothing is sent for a batch whose results cannot be read. An empty piece would end a stream. */
function* filled(...pieces: readonly Uint8Array[]): Generator<Uint8Array> {
  for (const piece of pieces) if (piece.length > 0) yield piece;
}
