/**
 * Reconciles a batch with its jobs. A worker that dies at the wrong moment leaves a waiting chunk whose job has failed for good or
 * is gone. A client that waits for the chunk would wait for ever. A missing job is added again; its id prevents a second copy. A
 * failed job marks its chunk as failed.
 */
import { generationOf, type Manifest } from '../../store/batches/manifest.js';
import type { Store } from '../../store/store.js';
import { chunkJobId } from '../contract.js';
import { codeOf, failureOf } from '../failures/job-failure.js';
import type { TextQueue } from '../text-jobs.js';
import { withBulkQueue } from './batch-control.js';
import { addChunkJobs, factsOf, type NumberedChunk } from './chunk-jobs.js';

/** The number of chunks in one call. */
const MAX_CHUNKS = 256;

/** Chunks of one batch, from an index on. */
export async function reconcile(store: Store, id: string, from = 0, count = MAX_CHUNKS): Promise<void> {
  const { manifest, isCancelled, chunks } = await store.batches.status(id);
  if (isCancelled || from >= chunks) return;
  await withBulkQueue(store, (queue) => reconcileChunks(store, queue, manifest, from, Math.min(count, chunks - from)));
}

/** Returns the number of waiting chunks. */
export async function reconcileChunks(
  store: Store,
  queue: TextQueue,
  manifest: Manifest,
  from: number,
  count: number,
): Promise<number> {
  const { id } = manifest;
  const chunks = await store.batches.chunks(id, from, count);
  const waiting = chunks.flatMap((chunk, i) =>
    chunk?.state === 'waiting' ? [{ index: from + i, facts: factsOf(chunk) }] : [],
  );
  const lost: NumberedChunk[] = [];
  await Promise.all(
    waiting.map(async ({ index, facts }) => {
      const jobId = chunkJobId(manifest, index);
      const state = await queue.getJobState(jobId);
      if (state === 'unknown') lost.push({ index, facts });
      if (state !== 'failed') return;
      const message = (await queue.getJob(jobId))?.failedReason ?? 'its worker died';
      const failed = { ...facts, state, code: codeOf(failureOf(message)), message };
      await store.batches.fail(id, index, failed, generationOf(manifest));
    }),
  );
  await addChunkJobs(queue, manifest, lost);
  return waiting.length;
}
