/**
 * Brings a batch and its jobs together again. A worker that dies at the wrong moment leaves a chunk that waits although
 * its job has failed for good, or is gone; whoever waits for the chunk would wait for ever. A job that is gone is added again
 * (should it only have been on its way, its id keeps it from being there twice), a failure is written down.
 */
import type { Queue } from 'bullmq';
import type { Manifest } from '../store/manifest.js';
import type { Store } from '../store/store.js';
import { withBulkQueue } from './batch-control.js';
import { addChunkJobs, factsOf, type NumberedChunk } from './chunk-jobs.js';
import { chunkJobId } from './contract.js';

/** Chunks looked at in one go, and batches in one sweep. */
const MAX_CHUNKS = 256;
const MAX_BATCHES = 20;

/** Chunks of one batch, from an index on. */
export async function reconcile(store: Store, id: string, from = 0, count = MAX_CHUNKS): Promise<void> {
  const { manifest, isCancelled, chunks } = await store.batches.status(id);
  if (isCancelled || from >= chunks) return;
  await withBulkQueue(store, (queue) => reconcileChunks(store, queue, manifest, from, Math.min(count, chunks - from)));
}

async function reconcileChunks(
  store: Store,
  queue: Queue,
  manifest: Manifest,
  from: number,
  count: number,
): Promise<void> {
  const { id } = manifest;
  const chunks = await store.batches.chunks(id, from, count);
  const lost: NumberedChunk[] = [];
  await Promise.all(
    chunks.map(async (chunk, i) => {
      if (chunk?.state !== 'waiting') return;
      const index = from + i;
      const facts = factsOf(chunk);
      const state = await queue.getJobState(chunkJobId(id, index));
      if (state === 'unknown') lost.push({ index, facts });
      if (state !== 'failed') return;
      const message = (await queue.getJob(chunkJobId(id, index)))?.failedReason ?? 'its worker died';
      await store.batches.fail(id, index, { ...facts, state, code: codeOf(message), message });
    }),
  );
  await addChunkJobs(queue, manifest, lost);
}

/** A failure for good begins with its code. */
function codeOf(message: string): string {
  return /^([a-z-]+): /.exec(message)?.[1] ?? 'thread-lost';
}

/** All open batches: their first chunks that wait, and those off the list that are over or have expired. */
export async function sweepBatches(store: Store): Promise<void> {
  for (const id of [...(await store.batches.open()).keys()].slice(0, MAX_BATCHES)) {
    await store.batches.settle(id);
    const status = await store.batches.status(id).catch(() => undefined);
    if (status) await reconcile(store, id, await firstWaiting(store, id, status.chunks));
  }
}

async function firstWaiting(store: Store, id: string, count: number): Promise<number> {
  for (let from = 0; from < count; from += MAX_CHUNKS) {
    const chunks = await store.batches.chunks(id, from, Math.min(MAX_CHUNKS, count - from));
    const at = chunks.findIndex((chunk) => chunk?.state === 'waiting');
    if (at >= 0) return from + at;
  }
  return count;
}
