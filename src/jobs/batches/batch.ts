/**
 * Follows a batch to its end: the results of chunks in input order, each chunk as soon as all earlier chunks are done. Messages only wake
 * the reader. The store decides, and a lost message costs at most a second.
 */
import { ElsewiseError, storedError } from '../../documents/error.js';
import type { ManifestChunk } from '../../store/batches/manifest.js';
import { duplicateOf } from '../../store/redis/redis.js';
import type { Store } from '../../store/store.js';
import { reconcile } from './reconcile.js';

/** Chunks that are read concurrently. Memory holds no more of the results. */
const WINDOW = 16;
const LOOK_EVERY_MS = 1_000;
/** The number of looks without a message before the jobs of the batch are checked. */
const PATIENT_LOOKS = 3;

export interface BatchPart {
  /** Whole NDJSON lines. */
  readonly bytes: Buffer;
  readonly rows: number;
}

/** The bytes of results as they are stored. */
export async function* bytesOf(parts: AsyncIterable<BatchPart>): AsyncGenerator<Buffer> {
  for await (const { bytes } of parts) yield bytes;
}

export interface FollowOptions {
  /** The first chunk to return. */
  readonly from?: number;
  readonly signal?: AbortSignal;
}

/** Throws if a chunk has failed or the batch was cancelled, after all earlier results are returned. An abort only ends the sequence. */
export async function* followResults(store: Store, id: string, options: FollowOptions = {}): AsyncGenerator<BatchPart> {
  const { from = 0, signal } = options;
  const blocked = duplicateOf(store.redis);
  const interrupt = () => blocked.disconnect();
  signal?.addEventListener('abort', interrupt);
  try {
    let news = '0';
    let idleLooks = 0;
    for (let next = from; !signal?.aborted; ) {
      const parts = await readReady(store, id, next);
      yield* parts;
      next += parts.length;
      idleLooks = parts.length > 0 ? 0 : idleLooks + 1;
      if (parts.length > 0) continue;
      if (await isEnd(store, id, next)) return;
      if (idleLooks % PATIENT_LOOKS === 0) await reconcile(store, id, next, WINDOW);
      news = await store.batches.awaitNews(blocked, id, news, LOOK_EVERY_MS);
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  } finally {
    signal?.removeEventListener('abort', interrupt);
    blocked.disconnect();
  }
}

/** The same without waiting: ends with the first unfinished chunk. */
export async function* readyResults(store: Store, id: string): AsyncGenerator<BatchPart> {
  for (let next = 0; ; ) {
    const parts = await readReady(store, id, next);
    if (parts.length === 0) return;
    yield* parts;
    next += parts.length;
  }
}

/** The results of the next chunks, up to the first gap. */
async function readReady(store: Store, id: string, from: number): Promise<BatchPart[]> {
  const chunks = await store.batches.chunks(id, from, WINDOW);
  const gap = chunks.findIndex((chunk) => chunk?.state !== 'done');
  const ready = chunks.slice(0, gap < 0 ? chunks.length : gap) as (ManifestChunk & { state: 'done' })[];
  if (ready.length === 0 && chunks[0]?.state === 'failed') throw failure(id, from, chunks[0]);
  return Promise.all(
    ready.map(async ({ results, rows }, i) => ({
      bytes: await store.results.chunkResults(id, from + i, results),
      rows,
    })),
  );
}

async function isEnd(store: Store, id: string, next: number): Promise<boolean> {
  const { isSealed, isCancelled, chunks } = await store.batches.status(id);
  if (isSealed && next === chunks) return true;
  if (isCancelled)
    throw new ElsewiseError('cancelled', `batch "${id}" was cancelled: results end with chunk ${next} of ${chunks}`);
  return false;
}

function failure(id: string, index: number, { code, message }: ManifestChunk & { state: 'failed' }): ElsewiseError {
  return storedError({
    code,
    message: `chunk ${index} of batch "${id}" failed, its results are missing: ${message}`,
  });
}
