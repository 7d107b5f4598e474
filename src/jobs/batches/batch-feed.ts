/**
 * Feeds the rows of an input into a batch: blocks into the store, jobs into the queue, a group of chunks at a time, while Redis has room.
 * Every step can be repeated, by the same process after an interruption or by another process at the same time.
 */
import { createHash } from 'node:crypto';
import type { ChunkState, Manifest } from '../../store/batches/manifest.js';
import { pack } from '../../store/codec/block.js';
import type { Store } from '../../store/store.js';
import type { Chunk } from '../rows/row-source.js';
import type { TextQueue } from '../text-jobs.js';
import { Backpressure, type RoomPatience, whileFull } from './backpressure.js';
import { settleBatch } from './batch-end.js';
import type { ChunkCutter } from './chunk-cutter.js';
import { addChunkJobs, type NumberedChunk } from './chunk-jobs.js';

export interface EnqueuedBatch {
  readonly id: string;
  readonly rows: number;
  readonly chunks: number;
  /** Chunks that an earlier run had finished. */
  readonly done: number;
}

export interface FeedOptions {
  /** Ends the wait for room. Added chunks stay, and a repeated call continues after them. */
  readonly signal?: AbortSignal;
  onProgress?(rows: number): void;
  onWait?(reason: string): void;
}

/** Chunks that are compressed and sent concurrently. Memory holds no more of the input. */
const GROUP = 16;

export class BatchFeed {
  readonly #store: Store;
  readonly #queue: TextQueue;
  readonly #manifest: Manifest;
  readonly #backpressure: Backpressure;

  constructor(store: Store, queue: TextQueue, manifest: Manifest) {
    this.#store = store;
    this.#queue = queue;
    this.#manifest = manifest;
    this.#backpressure = new Backpressure(store, manifest.id);
  }

  async add(cutter: ChunkCutter, { signal, onProgress, onWait }: FeedOptions): Promise<EnqueuedBatch> {
    const { id } = this.#manifest;
    const total = { id, rows: 0, chunks: 0, done: 0 };
    const input = createHash('sha256');
    const wait = (reason: string) => onWait?.(reason);
    for (;;) {
      const group = await cutter.take(GROUP, this.#manifest);
      if (group.length === 0) break;
      const rows = group.reduce((sum, chunk) => sum + chunk.rows, 0);
      await this.#backpressure.wait(rows, wait, signal);
      const { states, digests } = await this.#addChunks(group, total.chunks, { signal, onWait: wait });
      for (const digest of digests) input.update(digest);
      total.chunks += group.length;
      total.rows += rows;
      total.done += states.filter((state) => state === 'done').length;
      onProgress?.(total.rows);
    }
    await this.#store.batches.seal(id, total.chunks, `sha256:${input.digest('hex')}`);
    await settleBatch(this.#store, id);
    return total;
  }

  /** Blocks first, jobs second: a job never refers to a missing block. One by one: the first conflict ends the loop. */
  async #addChunks(chunks: readonly Chunk[], firstIndex: number, patience: RoomPatience) {
    const { id } = this.#manifest;
    const blocks = await Promise.all(chunks.map(({ bytes }) => pack(withoutLeadingLineEnds(bytes), 'passing')));
    const states: ChunkState[] = [];
    const waiting: NumberedChunk[] = [];
    for (const [i, { firstRow, rows }] of chunks.entries()) {
      const [block, index] = [blocks[i], firstIndex + i];
      const facts = { digest: block.digest, firstRow, rows };
      const state = await whileFull(() => this.#store.batches.addChunk(id, index, facts, block), patience);
      if (state === 'waiting') waiting.push({ index, facts });
      states.push(state);
    }
    await whileFull(() => addChunkJobs(this.#queue, this.#manifest, waiting), patience);
    return { states, digests: blocks.map(({ digest }) => digest) };
  }
}

/** The arrival of the bytes decides whether empty lines precede a chunk. The digest must not depend on that. */
function withoutLeadingLineEnds(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0x0a && byte !== 0x0d);
  return bytes.subarray(Math.max(0, first));
}
