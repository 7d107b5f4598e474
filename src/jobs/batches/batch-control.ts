/** Operations on an existing batch: cancel it, and retry its failed chunks. */
import { ElsewiseError } from '../../documents/error.js';
import type { ManifestChunk } from '../../store/batches/manifest.js';
import type { Store } from '../../store/store.js';
import { QUEUES } from '../contract.js';
import type { TextQueue } from '../text-jobs.js';
import { settleBatch } from './batch-end.js';
import { addChunkJobs, factsOf, type NumberedChunk, removeChunkJobs } from './chunk-jobs.js';

/** The number of chunks read together. */
const WINDOW = 256;

export interface Cancelled {
  /** `done`: too late, all chunks have their results. */
  readonly outcome: 'cancelled' | 'done';
  /** Chunks that will no longer be processed. */
  readonly dropped: number;
}

/** Removes waiting jobs. Workers stop running jobs, and finished results stay until they expire. */
export async function cancelBatch(store: Store, id: string): Promise<Cancelled> {
  const outcome = await store.batches.cancel(id).finally(() => settleBatch(store, id));
  if (outcome === 'done') return { outcome, dropped: 0 };
  const { manifest, chunks } = await store.batches.status(id); // from here on no chunk is added
  return withBulkQueue(store, async (queue) => {
    let dropped = 0;
    for await (const left of chunksOf(store, id, chunks, ['waiting', 'failed'])) {
      const indices = left.map(({ index }) => index);
      const running = await removeChunkJobs(queue, manifest, indices);
      await store.batches.dropRows(
        id,
        indices.filter((index) => !running.includes(index)),
      );
      dropped += indices.length;
    }
    return { outcome, dropped };
  });
}

/** Returns the number of chunks that get another attempt. */
export async function retryBatch(store: Store, id: string): Promise<number> {
  const { manifest, chunks, isCancelled } = await store.batches.status(id);
  if (isCancelled)
    throw new ElsewiseError('conflict', `batch "${id}" was cancelled: enqueue it again under another id`);
  return withBulkQueue(store, async (queue) => {
    let revived = 0;
    for await (const failed of chunksOf(store, id, chunks, ['failed'])) {
      await removeChunkJobs(
        queue,
        manifest,
        failed.map(({ index }) => index),
      ); // BullMQ treats an id that failed as a duplicate
      const isBack = await Promise.all(failed.map(({ index, facts }) => store.batches.revive(manifest, index, facts)));
      await addChunkJobs(
        queue,
        manifest,
        failed.filter((_, i) => isBack[i]),
      );
      revived += isBack.filter(Boolean).length;
    }
    return revived;
  });
}

/** The chunks in one of the states, a window at a time. */
async function* chunksOf(
  store: Store,
  id: string,
  count: number,
  states: readonly ManifestChunk['state'][],
): AsyncGenerator<NumberedChunk[]> {
  for (let from = 0; from < count; from += WINDOW) {
    const chunks = await store.batches.chunks(id, from, Math.min(WINDOW, count - from));
    yield chunks.flatMap((chunk, i) =>
      chunk && states.includes(chunk.state) ? [{ index: from + i, facts: factsOf(chunk) }] : [],
    );
  }
}

/** Loads BullMQ on demand: a client that only waits for a batch rarely needs the queue. */
export async function withBulkQueue<T>(store: Store, use: (queue: TextQueue) => Promise<T>): Promise<T> {
  const { openQueue } = await import('../text-jobs.js');
  const queue = openQueue(QUEUES.bulk, store.redis, store.settings.queuePrefix);
  try {
    return await use(queue);
  } finally {
    await queue.close();
  }
}
