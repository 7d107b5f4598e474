/**
 * The end of a batch. A batch that has ended leaves the list of open batches, after its webhook is in the queue: a process that dies in
 * between leaves an open batch, which the next sweep settles. A failed batch may still be retried and stays on the list.
 */
import type { Store } from '../../store/store.js';

/** Returns the number of chunks, and the number that wait for their results. */
export async function settleBatch(store: Store, id: string): Promise<{ chunks: number; waiting: number }> {
  const { chunks, waiting, isOver, unannounced } = await store.batches.progress(id);
  if (unannounced) {
    const { announceEnd } = await import('../webhooks/webhook.js'); // with BullMQ, which few clients need
    await announceEnd(store, { batch: id, ...unannounced });
    await store.batches.markAnnounced(id, unannounced);
  }
  if (isOver) await store.batches.leaveOpen(id);
  return { chunks, waiting };
}
