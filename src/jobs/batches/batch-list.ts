/** All stored batches, newest first, a page at a time. The place of a page is the last batch before it. */
import { ElsewiseError } from '../../documents/error.js';
import type { BatchEntry } from '../../store/batches/batch-index.js';
import type { BatchStatus } from '../../store/batches/batch-store.js';
import type { Store } from '../../store/store.js';

export interface BatchPage {
  readonly batches: readonly BatchStatus[];
  /** The place of the next page. Undefined: this page is the last. */
  readonly next: string | undefined;
}

export async function listBatches(store: Store, limit: number, place?: string): Promise<BatchPage> {
  const batches: BatchStatus[] = [];
  let after = place === undefined ? undefined : readPlace(place);
  let last = after;
  for (;;) {
    const wanted = limit + 1 - batches.length; // one more tells whether another page follows
    const entries = await store.batchIndex.older(wanted, after);
    const found = await Promise.all(entries.map((entry) => statusOf(store, entry)));
    for (const [i, status] of found.entries()) {
      if (status && batches.length === limit) return { batches, next: `${last!.createdMs}.${last!.id}` };
      if (!status) continue;
      batches.push(status);
      last = entries[i];
    }
    if (entries.length < wanted) return { batches, next: undefined };
    after = entries.at(-1);
  }
}

/** Undefined: the batch has expired. */
async function statusOf(store: Store, entry: BatchEntry): Promise<BatchStatus | undefined> {
  try {
    return await store.batches.status(entry.id);
  } catch (error) {
    if (!(error instanceof ElsewiseError) || error.code !== 'not-known') throw error;
    await store.batchIndex.forget(entry);
    return undefined;
  }
}

function readPlace(place: string): BatchEntry {
  const [, createdMs, id] = /^(\d{1,15})\.(.{1,100})$/.exec(place) ?? [];
  if (!id) throw new ElsewiseError('usage', `"${place}" is no place in the list of batches`);
  return { id, createdMs: Number(createdMs) };
}
