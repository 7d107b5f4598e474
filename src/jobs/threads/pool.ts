/**
 * The solver threads. A chunk goes to a thread and comes back as lines. A chunk may lose its thread: a row hangs past any deadline, the
 * thread exits, or its memory runs out. The thread is then replaced and the chunk runs again in three parts: the rows before the row in
 * progress, that row alone, and the rows after it. A row that loses its thread when it runs alone is answered with the cause. Exactly the
 * guilty rows fail.
 *
 * Threads publish their progress in shared memory. The progress identifies the guilty row, and the time limit applies to a row instead of a
 * chunk.
 */
import type { MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { config } from '../../config.js';
import { ElsewiseError } from '../../documents/error.js';
import { SOLVER_THREAD, THREAD_START } from '../../places.js';
import { addTally, createTally } from '../results/tally.js';
import { recordsOf } from '../rows/records.js';
import { scorerHost } from '../scoring/scorer-host.js';
import {
  type AnswerTo,
  BEAT,
  type ChunkAnswer,
  type ChunkTask,
  type DocumentTask,
  KERNEL_ID,
  NOT_STARTED,
  PREPARING,
  PROGRESS_LENGTH,
  type RowLoss,
  type Task,
  type ThreadData,
  type ThreadReply,
  type ThreadTask,
  type TimeTask,
} from './messages.js';
import { PlanLedger, type PlanUse, planShareBytes } from './plan-memory.js';
import type { PlanReference } from './shared-documents.js';
import { timeOfThread } from './thread-clock.js';
import { threadLoss } from './thread-loss.js';

export interface PoolOptions {
  readonly threads: number;
  /** Starts one thread at once and the others when tasks wait: a short run then loads its code only once. */
  readonly isGrowing?: boolean;
  /** URL of the file that runs in the threads. Only tests set another file. */
  readonly file?: string;
  /** A thread that needs more is replaced. */
  readonly heapLimitMb?: number;
  /** Lowers the priority of the threads, as `nice` does. */
  readonly niceIncrement?: number;
  /** Memory for prepared plans in each thread. Omitted: the threads of the pool share the whole budget. */
  readonly planBytes?: number;
  /** More than one for tasks that mostly wait for a scorer. */
  readonly tasksPerThread?: number;
}

export interface ChunkOptions {
  /** A row that takes longer loses its thread. See `rowLimitMs`. */
  readonly rowLimitMs: number;
  /** The time to load and prepare model and policy, before the first row. Omitted: the value of the configuration. */
  readonly prepareLimitMs?: number;
  /** Abandons the chunk: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

const HEAP_LIMIT_MB = 2048;
/** The time for a thread to load its code on a busy machine. */
const START_LIMIT_MS = 120_000;
const WATCH_EVERY_MS = 200;
/** A thread that gets no core may take this many times its limit on the wall clock. */
const STARVED = 6;

/** Solvers keep a row's own deadline. This limit is for a solver that does not. */
export function rowLimitMs(deadlineMs: number): number {
  return 5_000 + 4 * deadlineMs;
}

interface Lost {
  readonly loss: RowLoss;
  /** The number of finished rows of the chunk, or NOT_STARTED. */
  readonly rowsDone: number;
}

type Attempt<T extends Task> = { readonly answer: AnswerTo<T> } | Lost;

export class SolverPool {
  readonly threads: number;
  readonly #piscina: Piscina<ThreadTask, ThreadReply>;
  readonly #plans = new PlanLedger();
  /** Whether a lost thread may run several tasks. */
  readonly #isShared: boolean;
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(options: PoolOptions) {
    const { threads, file = SOLVER_THREAD.href, heapLimitMb = HEAP_LIMIT_MB, niceIncrement = 0 } = options;
    const { tasksPerThread = 1, isGrowing = false } = options;
    this.threads = threads;
    this.#free = threads * tasksPerThread;
    this.#isShared = tasksPerThread > 1;
    this.#piscina = new Piscina({
      filename: THREAD_START.href,
      minThreads: isGrowing ? 1 : threads,
      maxThreads: threads,
      idleTimeout: Number.POSITIVE_INFINITY,
      concurrentTasksPerWorker: tasksPerThread,
      niceIncrement,
      recordTiming: false,
      workerData: { file, planBytes: options.planBytes ?? planShareBytes(threads) } satisfies ThreadData,
      resourceLimits: { maxOldGenerationSizeMb: heapLimitMb },
    });
    // piscina replaces a thread that dies between two tasks. Without a listener the error would end the process.
    this.#piscina.on('error', () => {});
  }

  /** Answers every row of the chunk, in order. Rejects if the documents cannot be prepared, or by the signal. */
  async run(task: ChunkTask, options: ChunkOptions): Promise<ChunkAnswer> {
    const attempt = await this.#attempt(task, options);
    if ('answer' in attempt) return attempt.answer;
    if (attempt.rowsDone < 0) throw new ElsewiseError('thread-lost', attempt.loss.message);
    if (task.loss) throw new ElsewiseError('thread-lost', `no thread answers the failed rows: ${attempt.loss.message}`);
    if (task.rows === 1) return this.run({ ...task, loss: attempt.loss }, options);
    const answer = await this.#runParts(splitAround(task, Math.min(attempt.rowsDone, task.rows - 1)), options);
    return task.isPacked
      ? { ...answer, ...(await this.#runWhole({ kind: 'block', bytes: answer.bytes, isAudited: task.isAudited })) }
      : answer;
  }

  /** Prepares a plan in a thread, which caches it. Rejects if model or policy is invalid or they do not fit. */
  async prepare(plan: PlanReference, prepareLimitMs?: number): Promise<void> {
    const none = {
      layout: { format: 'ndjson' },
      output: 'ndjson',
      bytes: new Uint8Array(),
      firstRow: 1,
      rows: 0,
    } as const;
    await this.#runWhole({ ...plan, kind: 'explain', ...none }, prepareLimitMs);
  }

  /** Runs a task on a document in a thread. Rejects if the document is invalid. */
  runDocument<T extends DocumentTask>(task: T): Promise<AnswerTo<T>> {
    return this.#runWhole(task);
  }

  async #runWhole<T extends Task>(task: T, prepareLimitMs = config.worker.maxPrepareMs): Promise<AnswerTo<T>> {
    const attempt = await this.#attempt(task, { rowLimitMs: prepareLimitMs, prepareLimitMs });
    if ('answer' in attempt) return attempt.answer;
    throw new ElsewiseError('thread-lost', attempt.loss.message);
  }

  /** Times rows in the thread that tried the plan. A row that takes longer than the limit loses the thread. */
  timeRows(task: TimeTask, rowLimitMs: number): Promise<Attempt<TimeTask>> {
    return this.#attempt(task, { rowLimitMs });
  }

  async #runParts(parts: readonly ChunkTask[], options: ChunkOptions): Promise<ChunkAnswer> {
    const answers: ChunkAnswer[] = [];
    for (const part of parts) answers.push(await this.run(part, options));
    const tally = createTally();
    for (const answer of answers) addTally(tally, answer.tally);
    const join = (parts: readonly Uint8Array[]) => Buffer.concat(parts);
    const keys = parts[0].isKeyed ? join(answers.map((answer) => answer.keys!)) : undefined;
    return { bytes: join(answers.map(({ bytes }) => bytes)), tally, keys, reused: 0 };
  }

  /** A task that loses its thread before it begins, or beside other tasks, may be innocent. It is tried twice. */
  async #attempt<T extends Task>(task: T, options: ChunkOptions): Promise<Attempt<T>> {
    const first = await this.#attemptOnce(task, options);
    return 'loss' in first && this.#mayBeInnocent(first) ? this.#attemptOnce(task, options) : first;
  }

  /** A task whose thread overran is itself the cause. */
  #mayBeInnocent({ loss, rowsDone }: Lost): boolean {
    return rowsDone < 0 || (this.#isShared && loss.code === 'thread-lost');
  }

  async #attemptOnce<T extends Task>(task: T, options: ChunkOptions): Promise<Attempt<T>> {
    await this.#takeThread();
    try {
      return await this.#runOnThread(task, options);
    } finally {
      this.#returnThread();
    }
  }

  async #runOnThread<T extends Task>(task: T, options: ChunkOptions): Promise<Attempt<T>> {
    const { rowLimitMs, prepareLimitMs = config.worker.maxPrepareMs, signal } = options;
    signal?.throwIfAborted();
    const progress = new Int32Array(new SharedArrayBuffer(4 * PROGRESS_LENGTH)).fill(NOT_STARTED);
    // A copy is transferred: the original is needed if the thread dies.
    const bytes = 'bytes' in task ? new Uint8Array(task.bytes) : undefined;
    const watch = watchProgress(progress, rowLimitMs, prepareLimitMs);
    const abort = signal ? AbortSignal.any([signal, watch.signal]) : watch.signal;
    try {
      const ports = scorerPorts(task);
      const sent = { ...task, ...(bytes && { bytes }), progress, ...ports };
      const transferList = [...(bytes ? [bytes.buffer] : []), ...Object.values(ports)];
      const how = { transferList, signal: abort };
      const reply = (await this.#piscina.run(sent, how)) as ThreadReply<T>;
      if ('answer' in reply && 'plans' in reply.answer && reply.answer.plans) this.#plans.note(reply.answer.plans);
      if ('answer' in reply) return reply;
      const { code, message, path, faults } = reply.refusal;
      throw new ElsewiseError(code, message, path, faults);
    } catch (error) {
      signal?.throwIfAborted();
      const rowsDone = Atomics.load(progress, 0);
      if (watch.signal.aborted && rowsDone === PREPARING) throw notPrepared(prepareLimitMs);
      const loss = watch.signal.aborted ? overran(rowLimitMs) : threadLoss(error);
      if (!loss) throw error;
      return { loss, rowsDone };
    } finally {
      watch.stop();
    }
  }

  /** Tasks wait here and not in piscina's queue, so that a chunk's time runs only while a thread works on it. */
  async #takeThread(): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #returnThread(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }

  /** The use of plan memory in all threads. */
  planUse(): Omit<PlanUse, 'thread'> {
    return this.#plans.total(this.#piscina.threads.map(({ threadId }) => threadId));
  }

  /** Ends the threads at once. */
  async close(): Promise<void> {
    await this.#piscina.destroy();
  }
}

/** The limits count the thread's own time, where the system tells it: a busy machine does not end a row. */
function watchProgress(
  progress: Int32Array,
  limitMs: number,
  prepareLimitMs: number,
): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  let seen = NOT_STARTED;
  let seenBeat = NOT_STARTED;
  let since = performance.now();
  let ownSince: number | undefined;
  const ownTime = () => timeOfThread(Atomics.load(progress, KERNEL_ID));
  const limitOf = (done: number) =>
    done === NOT_STARTED ? START_LIMIT_MS : done === PREPARING ? prepareLimitMs : limitMs;
  const isStarved = (wallMs: number, limitMs: number) => {
    const own = ownSince === undefined ? undefined : ownTime();
    return own !== undefined && own - ownSince! <= limitMs && wallMs <= STARVED * limitMs;
  };
  const look = () => {
    const now = performance.now();
    const done = Atomics.load(progress, 0);
    const beat = Atomics.load(progress, BEAT);
    if (done !== seen || beat !== seenBeat) {
      seen = done;
      seenBeat = beat;
      since = now;
      ownSince = ownTime();
    } else if (now - since > limitOf(seen) && !isStarved(now - since, limitOf(seen))) controller.abort();
  };
  const timer = setInterval(look, Math.min(WATCH_EVERY_MS, limitMs / 2, prepareLimitMs / 2));
  return { signal: controller.signal, stop: () => clearInterval(timer) };
}

/** Tasks with a model that ask for no scores. A search of a graph's paths scores rows on demand. */
const WITHOUT_SCORES: readonly Task['kind'][] = [
  'graphs',
  'compare',
  'offers',
  'population',
  'letter',
  'check',
  'side',
];

/** Empty if the task's model needs no scorer, or the task has no model. */
function scorerPorts(task: Task): Record<string, MessagePort> {
  const scored = 'model' in task && !WITHOUT_SCORES.includes(task.kind) ? task.model?.scored : null;
  if (!scored) return {};
  if (scored.scoring.scorer.type !== 'onnx') return { scorerPort: scorerHost.connect(scored) };
  const newsPort = scorerHost.newsPort();
  return newsPort ? { newsPort } : {};
}

function notPrepared(limitMs: number): ElsewiseError {
  return new ElsewiseError('prepare-limit', `preparing model and policy was stopped after ${limitMs} ms`);
}

function overran(limitMs: number): RowLoss {
  return { code: 'overran', message: `the solver did not finish this row within ${limitMs} ms and was stopped` };
}

/** The rows before a row, that row, and the rows after it. The parts are solved as lines, since only a whole chunk can be packed. */
function splitAround(task: ChunkTask, guilty: number): ChunkTask[] {
  const bytes = Buffer.from(task.bytes.buffer, task.bytes.byteOffset, task.bytes.byteLength);
  const starts = [...recordsOf(bytes, task.layout)].map(({ start }) => start);
  const cut = (from: number, to: number): ChunkTask => ({
    ...task,
    known: undefined,
    isPacked: false,
    bytes: bytes.subarray(starts[from], starts[to] ?? bytes.length),
    firstRow: task.firstRow + from,
    rows: to - from,
  });
  const parts = [cut(0, guilty), cut(guilty, guilty + 1), cut(guilty + 1, task.rows)];
  return parts.filter(({ rows }) => rows > 0);
}
