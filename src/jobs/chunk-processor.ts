/** A job of the bulk queue: the rows of one chunk out of the store, through the threads, and their results back into it. */
import { ElsewiseError } from '../documents/error.js';
import { parseDocument } from '../documents/parse.js';
import type { Policy } from '../explain/policy.js';
import type { Manifest } from '../store/manifest.js';
import { packLines } from '../store/result-block.js';
import type { Finish } from '../store/result-store.js';
import type { Store } from '../store/store.js';
import { CancelWatch } from './cancel-watch.js';
import { type ChunkJob, type ChunkReturn, chunkJobSchema } from './contract.js';
import type { Solve } from './lane.js';
import type { ChunkAnswer } from './messages.js';
import { Once } from './once.js';
import type { PlanCache } from './plan-cache.js';
import { whileFull } from './room.js';

const MAX_MANIFESTS = 32;
/** Workers get the room that producers leave; should it be gone, they wait before the chunk counts as failed. */
const PATIENCE_MS = 60_000;

export class ChunkProcessor {
  readonly #store: Store;
  readonly #plans: PlanCache;
  readonly #once: Once;
  /** A manifest never changes. */
  readonly #manifests = new Map<string, Manifest>();

  constructor(store: Store, plans: PlanCache) {
    this.#store = store;
    this.#plans = plans;
    this.#once = new Once(store);
  }

  /** Repeating it is harmless: a chunk that is done is left as it is. */
  async answer(data: unknown, solve: Solve): Promise<ChunkReturn> {
    const job = parseDocument(chunkJobSchema, data, 'job');
    const watch = new CancelWatch(() => this.#store.batches.isCancelled(job.batch));
    try {
      return await this.#work(job, solve, watch.signal);
    } catch (error) {
      if (!watch.signal.aborted && !(await this.#store.batches.isCancelled(job.batch))) throw error;
      await this.#store.batches.dropRows(job.batch, [job.chunk]);
      return returned(job, 'cancelled');
    } finally {
      watch.stop();
    }
  }

  async #work(job: ChunkJob, solve: Solve, signal: AbortSignal): Promise<ChunkReturn> {
    const { batches } = this.#store;
    const [chunk, rows] = await Promise.all([
      batches.chunk(job.batch, job.chunk),
      batches.rows(job.batch, job.chunk, job.digest),
    ]);
    if (chunk?.state === 'done') return returned(job, 'known');
    if (!chunk || !rows) throw gone(job);
    const { layout, policy, msPerRow } = await this.#manifest(job);
    const plan = await this.#plans.get(job.model, policy);
    const { firstRow } = job;
    const asked = { plan, policy, rows: { layout, bytes: rows, firstRow, rows: job.rows }, batch: job.batch, msPerRow };
    const answer = await this.#once.solve({ ...asked, manner: { isPacked: true, signal } }, solve);
    const outcome = await this.#finish(job, answer);
    if (outcome === 'gone') throw gone(job);
    if (outcome === 'known') return returned(job, 'known');
    await this.#once.rememberChunk(plan, job.batch, job.chunk, answer).catch(() => {}); // it is only a cache
    if (outcome === 'touch') {
      await batches.touch(job.batch);
      await batches.settle(job.batch);
    }
    return returned(job, 'stored');
  }

  #finish(job: ChunkJob, answer: ChunkAnswer): Promise<Finish> {
    const { digest, firstRow, rows } = job;
    const { costs, statuses } = answer.tally;
    const counts = Object.fromEntries(statuses);
    const finished = { batch: job.batch, index: job.chunk, facts: { digest, firstRow, rows }, counts, costs };
    const { bytes } = answer;
    const block = answer.digest ? { data: bytes, digest: answer.digest } : packLines(Buffer.from(bytes).toString());
    return whileFull(() => this.#store.results.finishChunk(finished, block), { patienceMs: PATIENCE_MS });
  }

  async #manifest(job: ChunkJob): Promise<Pick<Manifest, 'layout'> & { policy: Policy; msPerRow?: number }> {
    const manifest = this.#manifests.get(job.batch) ?? (await this.#store.batches.status(job.batch)).manifest;
    if (this.#manifests.size >= MAX_MANIFESTS) this.#manifests.clear();
    this.#manifests.set(job.batch, manifest);
    const { digest, document } = manifest.policy;
    if (digest !== job.policy)
      throw new ElsewiseError('conflict', `batch "${job.batch}" has another policy than the job`);
    const { layout, probe } = manifest;
    return { layout, policy: { document, name: document.name, digest }, msPerRow: probe?.msPerRow };
  }
}

function returned({ batch, chunk, rows }: ChunkJob, outcome: ChunkReturn['outcome']): ChunkReturn {
  return { schema: 'elsewise.chunk-return/v1', batch, chunk, rows, outcome };
}

function gone({ batch, chunk }: ChunkJob): ElsewiseError {
  return new ElsewiseError(
    'not-known',
    `the rows of chunk ${chunk} of batch "${batch}" are not stored (or have expired)`,
  );
}
