/**
 * A thread that lives while a batch is being created. Loading a model, preparing it and solving the first rows take seconds for many trees
 * or long deadlines. The creator of the batch may be the loop of a worker, which has locks to renew, or the loop of the API. Few threads
 * run at a time, since each uses a core and much memory. No turn is held while the rows are still to come.
 */
import type { Policy } from '../../policy/policy.js';
import type { ModelPin } from '../../store/batches/manifest.js';
import { fewAtATime } from '../../store/redis/one-at-a-time.js';
import type { Chunk } from '../rows/row-source.js';
import type { RowLayout, TriedPlan } from './messages.js';
import { SolverPool } from './pool.js';
import { FIRST_ROUND_MS } from './row-timing.js';

/** The total time of the first rows. A row that exceeds it counts as if it had ended then. */
const TIMING_CAP_MS = 2_000;

/** One slow policy does not block the creation of other batches. */
const inTurn = fewAtATime(3);

export class TrialThread {
  #pool: SolverPool | undefined;

  /** Starts ahead, for callers with other work to do first: a thread needs a while to load its code. */
  start(): this {
    this.#pool ??= new SolverPool({ threads: 1 });
    return this;
  }

  /** The features that the header of the rows is read against, and the choices that the policy leaves open. Rejects if model or policy is invalid or they do not fit. */
  try(read: () => Promise<Uint8Array>, pin: ModelPin, policy: Policy): Promise<TriedPlan> {
    return inTurn(async () => {
      const pool = this.#started;
      const { digest, version } = pin;
      return pool.runDocument({ kind: 'try', bytes: await read(), digest, version, policy });
    });
  }

  /** Milliseconds per row, under the tried plan. */
  async time({ bytes, firstRow }: Chunk, layout: RowLayout): Promise<number> {
    const task = { kind: 'time', layout, bytes, firstRow } as const;
    const timing = await inTurn(() => this.#started.timeRows(task, TIMING_CAP_MS - FIRST_ROUND_MS));
    return 'answer' in timing ? timing.answer.msPerRow : TIMING_CAP_MS / (Math.max(0, timing.rowsDone) + 1);
  }

  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    await pool?.close();
  }

  get #started(): SolverPool {
    return this.start().#pool!;
  }
}
