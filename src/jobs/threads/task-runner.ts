/**
 * The work of a solver thread: a chunk of records in, finished lines out. Every row gets its line, even if another row fails. The
 * preparation of a plan is an argument: tests run threads that hang, die or run out of memory.
 */
import { threadId } from 'node:worker_threads';
import { EngineNeeded, engineLoads, enginesReloading, withEngines } from '../../explain/engines.js';
import { scorerLossOf } from '../../scoring/failure-codes.js';
import { asBuffer } from '../../store/codec/byte-streams.js';
import { KEY_BYTES } from '../../store/known-rows/known-row-store.js';
import { type AnswerSink, BlockSink, LineSink } from '../results/answer-sinks.js';
import { KnownResultReader } from '../results/known-results.js';
import { countKnown, createTally, type Tally } from '../results/tally.js';
import type { ParsedRow } from '../rows/row.js';
import { writeKey } from '../rows/row-key.js';
import { createRowReader } from '../rows/row-reader.js';
import type { ScoreBatches } from '../scoring/score-batches.js';
import { drive, type ScoredSteps } from '../scoring/scored-steps.js';
import type { ChunkAnswer, ChunkTask, RowLoss, ThreadTask } from './messages.js';
import { RemoteRows } from './remote-rows.js';
import { type RowAnswerer, rowAnswererOf } from './row-answerer.js';
import { type ThreadPlan, type ThreadPlanOptions, ThreadPlans } from './thread-plans.js';

/** Reserve over the bytes that the rows of the last chunk needed. More is rarely needed, and a surplus costs little. */
const GENEROUS = 1.2;

export type TaskRunner = (task: ThreadTask<ChunkTask>) => Promise<ChunkAnswer>;

export function createTaskRunner(
  options: ThreadPlanOptions,
  plans: ThreadPlans = new ThreadPlans(options.planBytes),
): TaskRunner {
  let bytesPerRow = 0;
  return async (task) => {
    const run = await ChunkRun.begin(task, plans, options);
    const sink = task.isPacked ? new BlockSink(task.isAudited) : run.lineSink(GENEROUS * bytesPerRow * task.rows);
    await (task.model.scored ? run.answerRemotely(sink) : run.answerRows(sink));
    const finished = sink.finish();
    if (!task.isPacked && task.rows > 0) bytesPerRow = Math.ceil(finished.bytes.length / task.rows);
    return { ...finished, ...run.end(), plans: { thread: threadId, ...plans.use, engineLoads: engineLoads() } };
  };
}

/** One chunk in the thread. */
class ChunkRun {
  readonly #task: ThreadTask<ChunkTask>;
  readonly #plans: ThreadPlans;
  readonly #options: ThreadPlanOptions;
  readonly #tally: Tally = createTally();
  readonly #known: KnownResultReader;
  readonly #keys: Uint8Array | undefined;
  #plan: ThreadPlan;
  #answerer: RowAnswerer;

  static async begin(task: ThreadTask<ChunkTask>, plans: ThreadPlans, options: ThreadPlanOptions): Promise<ChunkRun> {
    const plan = plans.get(task);
    return new ChunkRun(task, plans, options, plan, await rowAnswererOf(task, plan, options));
  }

  private constructor(
    task: ThreadTask<ChunkTask>,
    plans: ThreadPlans,
    options: ThreadPlanOptions,
    plan: ThreadPlan,
    answerer: RowAnswerer,
  ) {
    this.#task = task;
    this.#plans = plans;
    this.#options = options;
    this.#known = new KnownResultReader(task.known);
    this.#keys = task.isKeyed ? new Uint8Array(KEY_BYTES * task.rows) : undefined;
    this.#plan = plan;
    this.#answerer = answerer;
  }

  lineSink(expectedBytes: number): AnswerSink {
    return new LineSink(expectedBytes, (answer) => this.#answerer.line(answer));
  }

  async answerRows(sink: AnswerSink): Promise<void> {
    const { layout, bytes, firstRow, progress } = this.#task;
    const rows = createRowReader(layout, this.#plan.model, 'values')(asBuffer(bytes), firstRow);
    Atomics.store(progress, 0, 0);
    let at = 0;
    for (const row of rows) {
      const reloading = enginesReloading();
      if (reloading) await reloading;
      let answer = this.#takeKnown(row, at);
      try {
        answer ??= this.#answer(row, at);
      } catch (error) {
        answer = await this.#answerLater(row, at, error as Error);
      }
      sink.push(answer);
      at = Atomics.add(progress, 0, 1) + 1;
    }
  }

  /** The same for a model that is scored elsewhere. A task without rows, which only prepares, requests no scores. */
  async answerRemotely(sink: AnswerSink): Promise<void> {
    const { layout, bytes, firstRow, progress, kind, rows: count } = this.#task;
    const remote = RemoteRows.begin(this.#task)!;
    try {
      const gate = kind === 'keys' || count === 0 ? undefined : await remote.gate(this.#plan);
      const rows = createRowReader(layout, this.#plan.model, 'values')(asBuffer(bytes), firstRow);
      Atomics.store(progress, 0, 0);
      const push = (answer: unknown) => {
        sink.push(answer);
        Atomics.add(progress, 0, 1);
      };
      await remote.run(rows, (row, at) => this.#answerWithScores(row, at, remote.batches, gate), push);
    } finally {
      await remote.end();
    }
  }

  async #answerWithScores(row: ParsedRow, at: number, batches: ScoreBatches, gate?: RowLoss): Promise<unknown> {
    const known = this.#takeKnown(row, at);
    if (known) return known;
    const loss = this.#task.loss ?? gate;
    if (loss) return this.#answerer.answer(row, this.#tally, loss);
    const answerer = this.#answerer;
    try {
      return await withEngines(() => drive(this.#keyedSteps(answerer, row, at), batches));
    } catch (error) {
      const failure = scorerLossOf(error);
      return failure ? answerer.answer(row, this.#tally, failure) : this.#answerFailed(row, error as Error);
    }
  }

  /** The key is noted in the last step: after it, other rows use the same plan. */
  *#keyedSteps(answerer: RowAnswerer, row: ParsedRow, at: number): ScoredSteps<unknown> {
    return this.#keyed(yield* answerer.steps(row, this.#tally), row, at, answerer);
  }

  end(): Pick<ChunkAnswer, 'tally' | 'keys' | 'reused'> {
    this.#plans.weigh(this.#task, this.#plan);
    return { tally: this.#tally, keys: this.#keys, reused: this.#known.taken };
  }

  #takeKnown(row: ParsedRow, at: number): unknown {
    const known = this.#known.take(at, row);
    if (known) countKnown(this.#tally, known);
    return known;
  }

  #answer(row: ParsedRow, at: number): unknown {
    return this.#keyed(this.#answerer.answer(row, this.#tally, this.#task.loss), row, at, this.#answerer);
  }

  /** Notes the key of a row whose answer may serve equal rows. */
  #keyed(answer: unknown, row: ParsedRow, at: number, answerer: RowAnswerer): unknown {
    const values = this.#keys && answerer.lasting(answer);
    if (values) writeKey(values, row.target, this.#keys!, KEY_BYTES * at);
    return answer;
  }

  /** The row needs an engine, or its solver failed. */
  async #answerLater(row: ParsedRow, at: number, error: Error): Promise<unknown> {
    if (!(error instanceof EngineNeeded)) return this.#answerFailed(row, error);
    try {
      return await withEngines(() => this.#answer(row, at));
    } catch (failure) {
      return this.#answerFailed(row, failure as Error);
    }
  }

  /** A solver that threw may have left its memory in any state. This row is answered without it, and the next row gets a new plan. */
  async #answerFailed(row: ParsedRow, { message }: Error): Promise<unknown> {
    this.#plan = this.#plans.renew(this.#task);
    this.#answerer = await rowAnswererOf(this.#task, this.#plan, this.#options);
    return this.#answerer.answer(row, this.#tally, { code: 'failed', message: `the solver failed: ${message}` });
  }
}
