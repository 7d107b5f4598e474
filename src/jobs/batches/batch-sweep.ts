/**
 * Looks after batches that nobody waits for: chunks whose jobs were lost get new ones (reconcile.ts), and batches that are over
 * or have expired come off the list of open ones. The list may be long and a batch may have very many chunks, so a sweep does
 * a limited number of looks, and the next one goes on where it ended, round and round.
 *
 * A look is at the totals of a batch or, if some of its chunks wait, at a window of 256 chunks; where such a window has chunks
 * that wait, their jobs are asked for as well. With B open batches, W windows in those of them that wait and J windows with a
 * chunk that waits, every lost job is back after at most (B + W) / 1000 + J / 20 sweeps, each rounded up. What cannot be read
 * ends its sweep; the next one goes on after it.
 */
import type { Store } from '../../store/store.js';
import type { TextQueue } from '../text-jobs.js';
import { withBulkQueue } from './batch-control.js';
import { reconcileChunks } from './reconcile.js';

const WINDOW = 256;
const MAX_LOOKS = 1_000;
const MAX_WAITING_WINDOWS = 20;

/** What a sweep may still do. */
interface Budget {
  looks: number;
  waitingWindows: number;
}

export class BatchSweep {
  readonly #store: Store;
  /** The batch that was looked at last, and the chunk to go on with; none: it was looked at to its end. */
  #place: { readonly batch: string; readonly chunk?: number } = { batch: '' };
  #running: Promise<void> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** One sweep; while one is under way there is no other. */
  run(): Promise<void> {
    this.#running ??= this.#sweep().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
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
    const { chunks, waiting } = await batches.settle(id);
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
