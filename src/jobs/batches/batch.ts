/**
 * Follows a batch to its end: the results of chunks in input order, each chunk as soon as all earlier chunks are done. News only
 * wake the reader up. The store decides, and lost news cost at most a second.
 */
import { ElsewiseError, storedError } from '../../documents/error.js';
import type { ManifestChunk } from '../../store/batches/manifest.js';
import { duplicateOf } from '../../store/redis/redis.js';
import type { Store } from '../../store/store.js';
import { reconcile } from './reconcile.js';

/** Chunks that are read side by side; memory holds no more of the results. */
const WINDOW = 16;
const LOOK_EVERY_MS = 1_000;
/** Looks without news after which the jobs of the batch are checked. */
const PATIENT_LOOKS = 3;

export interface BatchPart {
  /** Whole NDJSON lines. */
  readonly bytes: Buffer;
  readonly rows: number;
}

export interface FollowOptions {
  /** The first chunk that is given out. */
  readonly from?: number;
  readonly signal?: AbortSignal;
}

/**
 * Throws when a chunk has failed, or the batch was cancelled, after everything before that has been given out. An abort just
 * ends it.
 */
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

/** The same without waiting: ends with the first chunk that is not done. */
export async function* readyResults(store: Store, id: string): AsyncGenerator<BatchPart> {
  for (let next = 0; ; ) {
    const parts = await readReady(store, id, next);
    if (parts.length === 0) return;
    yield* parts;
    next += parts.length;
  }
}

/** The results of the next chunks, as far as they are there without a gap. */
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
  return storedError(code, `chunk ${index} of batch "${id}" failed, its results are missing: ${message}`);
}
