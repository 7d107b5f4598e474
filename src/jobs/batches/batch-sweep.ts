/**
 * Looks after open batches without a waiting client. Chunks whose jobs were lost get new jobs (reconcile.ts). Batches that ended
 * or expired leave the list of open batches. The list may be long and a batch may have very many chunks. A sweep therefore does a
 * limited number of looks, and the next sweep continues where the last one ended.
 *
 * A look reads the totals of a batch or, if chunks wait, a window of 256 chunks. For a window with waiting chunks, the sweep also
 * reads their jobs. With B open batches, W windows in batches that wait and J windows with a waiting chunk, every lost job is back
 * after at most (B + W) / 1000 + J / 20 sweeps, each term rounded up. A batch that cannot be read ends the sweep. The next sweep
 * continues after that batch.
 *
 * A sweep also looks at some entries of the list of all batches, and removes those whose batch has expired.
 */
import type { Store } from '../../store/store.js';
import type { TextQueue } from '../text-jobs.js';
import { withBulkQueue } from './batch-control.js';
import { settleBatch } from './batch-end.js';
import { reconcileChunks } from './reconcile.js';

const WINDOW = 256;
const MAX_LOOKS = 1_000;
const MAX_WAITING_WINDOWS = 20;
const MAX_ENTRIES = 200;

/** The remaining work of a sweep. */
interface Budget {
  looks: number;
  waitingWindows: number;
}

export class BatchSweep {
  readonly #store: Store;
  /** The last batch, and the chunk to continue with. Undefined: the batch was read to its end. */
  #place: { readonly batch: string; readonly chunk?: number } = { batch: '' };
  /** The time from which the next sweep looks at entries of the list of batches. */
  #entriesFromMs = 0;
  #running: Promise<void> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Runs one sweep. A sweep in progress is not started again. */
  run(): Promise<void> {
    this.#running ??= this.#sweepAll().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #sweepAll(): Promise<void> {
    await this.#forgetExpired();
    await this.#sweep();
  }

  async #forgetExpired(): Promise<void> {
    const { batches, batchIndex } = this.#store;
    const entries = await batchIndex.oldest(this.#entriesFromMs, MAX_ENTRIES);
    const isThere = await Promise.all(entries.map(({ id }) => batches.exists(id)));
    await Promise.all(entries.filter((_, i) => !isThere[i]).map((entry) => batchIndex.forget(entry)));
    this.#entriesFromMs = entries.length < MAX_ENTRIES ? 0 : entries.at(-1)!.createdMs;
  }

  async #sweep(): Promise<void> {
    const ids = [...(await this.#store.batches.open()).keys()].sort();
    const { batch, chunk } = this.#place;
    const first = ids.findIndex((id) => id > batch || (id === batch && chunk !== undefined));
    const round = first < 0 ? ids : [...ids.slice(first), ...ids.slice(0, first)];
    const budget = { looks: MAX_LOOKS, waitingWindows: MAX_WAITING_WINDOWS };
    await withBulkQueue(this.#store, async (queue) => {
      for (const id of round) {
        if (isSpent(budget)) return;
        await this.#visit(queue, id, budget);
      }
    });
  }

  async #visit(queue: TextQueue, id: string, budget: Budget): Promise<void> {
    const { batches } = this.#store;
    let from = this.#place.batch === id ? (this.#place.chunk ?? 0) : 0;
    this.#place = { batch: id };
    budget.looks--;
    const { chunks, waiting } = await settleBatch(this.#store, id);
    const manifest = waiting > 0 ? await batches.manifest(id) : undefined;
    for (; manifest && from < chunks; from += WINDOW) {
      if (isSpent(budget)) {
        this.#place = { batch: id, chunk: from };
        return;
      }
      budget.looks--;
      const found = await reconcileChunks(this.#store, queue, manifest, from, Math.min(WINDOW, chunks - from));
      if (found > 0) budget.waitingWindows--;
    }
  }
}

const isSpent = ({ looks, waitingWindows }: Budget): boolean => looks <= 0 || waitingWindows <= 0;
