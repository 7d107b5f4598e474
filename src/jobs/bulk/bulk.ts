/**
 * A whole run in one process: input -> chunks -> threads -> output. Order is kept. The number of chunks in progress is bounded, and memory
 * does not grow with the rows. Nothing is written before a thread has prepared model and policy and has accepted the header of the input.
 *
 * An abort stops the reading. Chunks in progress are finished and written: the output ends with a whole line.
 */
import { ElsewiseError } from '../../documents/error.js';
import type { LoadedModel } from '../../models/load.js';
import type { Policy } from '../../policy/policy.js';
import { formatCount, formatNumber } from '../../report/numbers.js';
import { withoutFormula } from '../results/csv-lines.js';
import type { ResumePoint } from '../results/resume.js';
import { addTally, createTally, type Tally } from '../results/tally.js';
import { type ChunkSize, chunkSizeOf } from '../rows/chunk-size.js';
import { headerFeatures } from '../rows/csv.js';
import { requireTarget, targetWarnings } from '../rows/required-target.js';
import { createRowReader } from '../rows/row-reader.js';
import { type Chunk, RowSource } from '../rows/row-source.js';
import type { ByteSink, ByteSource } from '../rows/streams.js';
import type { TableOptions } from '../rows/table-format.js';
import type { ChunkAnswer, ChunkTask, OutputFormat, RowLayout } from '../threads/messages.js';
import { rowLimitMs, type SolverPool } from '../threads/pool.js';
import { type PlanReference, referToPlan } from '../threads/shared-documents.js';
import { Conveyor } from './conveyor.js';

export interface BulkJob {
  readonly kind: ChunkTask['kind'];
  readonly model: LoadedModel;
  /** Needed to explain, not to predict. */
  readonly policy?: Policy;
  readonly input: ByteSource;
  /** The format of the input, where it is not detected. */
  readonly table?: TableOptions;
  /** The input is NDJSON of results: the rows that they explain are solved again. */
  readonly isOfResults?: boolean;
  readonly output: BulkOutput;
  readonly pool: SolverPool;
  /** The end of an earlier run of the same job. */
  readonly resumeAt?: ResumePoint;
  readonly signal?: AbortSignal;
  readonly rowLimitMs?: number;
  onWarning?(message: string): void;
  /** Called once the input is accepted and the output is open. */
  onStart?(): void;
  onProgress?(progress: BulkProgress): void;
}

export interface BulkOutput {
  readonly format: OutputFormat;
  /** First line of a new output. */
  readonly header: string;
  /** Called once the input is accepted. */
  open(keepBytes: number): Promise<ByteSink>;
}

export interface BulkProgress {
  readonly tally: Tally;
  readonly resumedRows: number;
  /** Bytes of the input, up to the last row written. */
  readonly bytesDone: number;
  readonly bytesTotal: number | undefined;
  /** Bytes of rows that an earlier run answered. */
  readonly bytesSkipped?: number;
}

export interface BulkReport {
  readonly tally: Tally;
  /** Rows of an earlier run. */
  readonly resumedRows: number;
  readonly interrupted: boolean;
  readonly elapsedMs: number;
}

/** Short chunks keep progress smooth, interruptions short and threads evenly busy. */
const CHUNK_MS = 100;
/** Chunks in progress per thread: one runs, the others wait so that no thread is idle. */
const CHUNKS_PER_THREAD = 3;

interface Shipment {
  readonly chunk: Chunk;
  readonly answer: Promise<ChunkAnswer>;
}

const NOTHING_READ: BulkReport = { tally: createTally(), resumedRows: 0, interrupted: true, elapsedMs: 0 };

export async function runBulk(job: BulkJob): Promise<BulkReport> {
  const plan = await planOf(job);
  if (job.kind === 'explain') await job.pool.prepare(plan);
  const opening = RowSource.open(job.input.bytes, job.input.name, headerFeatures(job.model), job.table);
  const source = await unlessAborted(opening, job.signal);
  if (!source) return NOTHING_READ;
  if (job.policy && !job.resumeAt?.rows) requireTarget(job.policy.document, source, job.model.classes);
  if (!job.isOfResults) tellSource(source, job);
  const resumedRows = job.resumeAt?.rows ?? 0;
  const { bytesSkipped, again } = job.resumeAt ? await skipRows(source, job.resumeAt, job) : NOTHING_SKIPPED;
  const startedMs = performance.now();
  const sink = await job.output.open(job.resumeAt?.bytes ?? 0);
  const tally = createTally();
  job.onStart?.();
  try {
    if (!job.resumeAt?.bytes && job.output.header) await sink.write(Buffer.from(job.output.header));
    const conveyor = new Conveyor<Shipment>(CHUNKS_PER_THREAD * job.pool.threads);
    const size = chunkSizeOf(job.model, CHUNK_MS);
    const reading = ship(source, again, plan, conveyor, size, job);
    reading.catch(() => {}); // a read error is reported after all earlier rows are written
    const bytesTotal = source.isConverted ? undefined : job.input.size;
    await unload(conveyor, sink, tally, size, job, { resumedRows, bytesTotal, bytesSkipped });
    await reading;
  } finally {
    await source.close();
    await sink.close();
  }
  return { tally, resumedRows, interrupted: job.signal?.aborted ?? false, elapsedMs: performance.now() - startedMs };
}

/** Results are no rows: they have other keys, and repeat the target of every row. */
function tellSource(source: RowSource, { policy, onWarning }: BulkJob): void {
  const aboutTargets = policy ? targetWarnings(policy.document, source) : [];
  for (const warning of [...source.warnings, ...aboutTargets]) onWarning?.(warning);
}

/** One thread builds the graphs for paths, and all threads share them. */
async function planOf({ kind, model, policy, pool }: BulkJob): Promise<PlanReference> {
  const plan = referToPlan(model, policy);
  if (kind !== 'explain' || !policy?.document.path) return plan;
  return { ...plan, graphs: await pool.runDocument({ kind: 'graphs', model: plan.model, policy: plan.policy! }) };
}

/** Reads chunks and hands them to the threads, up to the capacity of the conveyor. */
async function ship(
  source: RowSource,
  first: Chunk | undefined,
  plan: PlanReference,
  conveyor: Conveyor<Shipment>,
  size: ChunkSize,
  job: BulkJob,
): Promise<void> {
  const limit = { rowLimitMs: job.rowLimitMs ?? rowLimitMs(job.policy?.document.deadlineMs ?? 0) };
  const layout: RowLayout = job.isOfResults ? { format: 'ndjson', holds: 'results' } : source.layout;
  try {
    for (let taken = first; ; taken = undefined) {
      const chunk = taken ?? (await unlessAborted(source.take(size.rows), job.signal));
      if (!chunk || job.signal?.aborted) return;
      const { bytes, firstRow, rows } = chunk;
      const task = { ...plan, kind: job.kind, layout, output: job.output.format, bytes, firstRow, rows };
      const answer = job.pool.run(task, limit);
      answer.catch(() => {}); // reported when its turn comes
      if (!(await conveyor.put({ chunk, answer }))) return;
    }
  } finally {
    conveyor.end();
  }
}

/** Writes answers in the order of the rows. */
async function unload(
  conveyor: Conveyor<Shipment>,
  sink: ByteSink,
  tally: Tally,
  size: ChunkSize,
  job: BulkJob,
  known: Pick<BulkProgress, 'resumedRows' | 'bytesTotal' | 'bytesSkipped'>,
): Promise<void> {
  try {
    for await (const { chunk, answer } of conveyor) {
      const done = await answer;
      size.learn(done.tally);
      await sink.write(done.bytes);
      addTally(tally, done.tally);
      job.onProgress?.({ ...known, tally, bytesDone: chunk.bytesEnd });
    }
  } finally {
    conveyor.end();
  }
}

/** Does not wait for input that may never come. Unlike Promise.race on one lasting promise it leaks no handlers. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const stop = () => resolve(undefined);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

interface Skipped {
  /** The bytes of the input up to the next row. */
  readonly bytesSkipped: number;
  /** The first row to answer, where the output had it before. */
  readonly again?: Chunk;
}

const NOTHING_SKIPPED: Skipped = { bytesSkipped: 0 };

/** Skips the rows that have results, and checks that the input has the same rows as the output. */
async function skipRows(source: RowSource, point: ResumePoint, job: BulkJob): Promise<Skipped> {
  const { rows, lastId, againId } = point;
  const outputRows = rows + (againId === undefined ? 0 : 1);
  let last: Chunk | undefined;
  let again: Chunk | undefined;
  for (let seen = 0; seen < outputRows; ) {
    const chunk = await source.take(Math.max(1, rows - seen));
    if (!chunk) throw otherInput(job, hasFewer(outputRows, seen));
    if (seen < rows) last = chunk;
    else again = chunk;
    seen += chunk.rows;
  }
  if (again) checkRow(source, again, againId, job);
  if (last) checkRow(source, last, lastId, job);
  return { bytesSkipped: last?.bytesEnd ?? 0, again };
}

const hasFewer = (output: number, input: number): string =>
  `the output has ${formatCount(output, 'row')}, the input only ${formatNumber(input)}`;

/** Compares the id of the last row of a chunk with the output. */
function checkRow(source: RowSource, chunk: Chunk, known: string | undefined, job: BulkJob): void {
  const id = [...idsOf(source, chunk, job.model)].at(-1)!;
  if ((job.output.format === 'csv' ? withoutFormula(id) : id) === known) return;
  const row = chunk.firstRow + chunk.rows - 1;
  throw otherInput(job, `row ${row} is "${id}" in the input and "${known}" in the output: the input is another one`);
}

const otherInput = (job: BulkJob, what: string): ElsewiseError =>
  new ElsewiseError('conflict', `cannot be resumed: ${what}`, job.input.name);

function* idsOf(source: RowSource, chunk: Chunk, model: LoadedModel): Generator<string> {
  for (const row of createRowReader(source.layout, model)(chunk.bytes, chunk.firstRow)) yield row.id;
}
