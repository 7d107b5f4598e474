/**
 * Keeps slow preparations away from the threads that all events share. A plan that is new to this process is first prepared on a
 * separate thread, with little time:
 *
 *   new --look--> done in time  -> quick: its events go to the shared threads, which prepare the plan once more
 *            '--> not in time   -> slow: its events go to separate threads, with the time of `events.maxPrepareMs`
 *                                    '--> not in that time either: refused with `prepare-limit`, for a while without a new attempt
 *
 * The number of looks and slow events at a time is small. An event without a free place is not kept, because it would take the place of a
 * quick event. The event is sent back to come again (`NotNow`).
 */
import { LRUCache } from 'lru-cache';
import { config } from '../../config.js';
import { ElsewiseError } from '../../documents/error.js';
import type { ChunkAnswer, ChunkTask } from '../threads/messages.js';
import { type ChunkOptions, type PoolOptions, SolverPool } from '../threads/pool.js';

/** No place is free at present: the event has to come again. */
export class NotNow extends Error {}

type PlanPace = 'quick' | 'slow' | ElsewiseError;

/** A plan that takes longer to prepare is slow. */
const LOOK_MS = 500;
const MAX_VERDICTS = 10_000;
/** Verdicts expire: a plan that was slow on a busy machine may be quick. */
const VERDICT_TTL_MS = { quick: 3_600_000, slow: 600_000, refused: 60_000 } as const;

export class PlanGate {
  readonly #options: Omit<PoolOptions, 'threads'>;
  readonly #threads = config.worker.preparingThreads;
  readonly #verdicts = new LRUCache<string, PlanPace>({ max: MAX_VERDICTS });
  #lookPool: SolverPool | undefined;
  #slowPool: SolverPool | undefined;
  #looks = 0;
  #slow = 0;

  constructor(options: Omit<PoolOptions, 'threads'>) {
    this.#options = options;
  }

  /** Runs the task on the shared threads if its plan is quick, else on separate threads. Rejects with `NotNow` when no place is free. */
  async run(task: ChunkTask, options: ChunkOptions, shared: SolverPool): Promise<ChunkAnswer> {
    if (task.kind !== 'explain') return shared.run(task, options);
    const verdict = this.#verdicts.get(task.planKey) ?? (await this.#look(task));
    if (verdict instanceof ElsewiseError) throw verdict;
    return verdict === 'quick' ? shared.run(task, options) : this.#runSlow(task, options);
  }

  async close(): Promise<void> {
    await Promise.all([this.#lookPool?.close(), this.#slowPool?.close()]);
  }

  async #look(task: ChunkTask): Promise<PlanPace> {
    if (this.#looks >= this.#threads) throw new NotNow();
    this.#lookPool ??= new SolverPool({ ...this.#options, threads: this.#threads });
    this.#looks++;
    try {
      await this.#lookPool.prepare(task, LOOK_MS);
      return this.#note(task, 'quick');
    } catch (error) {
      if (!isPrepareLimit(error)) throw error;
      return this.#note(task, 'slow');
    } finally {
      this.#looks--;
    }
  }

  async #runSlow(task: ChunkTask, options: ChunkOptions): Promise<ChunkAnswer> {
    if (this.#slow >= this.#threads) throw new NotNow();
    this.#slowPool ??= new SolverPool({ ...this.#options, threads: this.#threads });
    this.#slow++;
    try {
      return await this.#slowPool.run(task, { ...options, prepareLimitMs: config.events.maxPrepareMs });
    } catch (error) {
      if (isPrepareLimit(error)) this.#note(task, error);
      throw error;
    } finally {
      this.#slow--;
    }
  }

  #note({ planKey }: ChunkTask, verdict: PlanPace): PlanPace {
    const kind = verdict instanceof ElsewiseError ? 'refused' : verdict;
    this.#verdicts.set(planKey, verdict, { ttl: VERDICT_TTL_MS[kind] });
    return verdict;
  }
}

function isPrepareLimit(error: unknown): error is ElsewiseError {
  return error instanceof ElsewiseError && error.code === 'prepare-limit';
}
