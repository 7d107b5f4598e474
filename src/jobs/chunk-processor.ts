/** A job of the bulk queue: the rows of one chunk out of the store, through the threads, and their results back into it. */
import { ElsewiseError } from '../documents/error.js';
import { parseDocument } from '../documents/parse.js';
import type { Policy } from '../explain/policy.js';
import type { Manifest } from '../store/manifest.js';
import type { Store } from '../store/store.js';
import { type ChunkJob, type ChunkReturn, chunkJobSchema } from './contract.js';
import type { Solve } from './lane.js';
import type { PlanCache } from './plan-cache.js';

const MAX_MANIFESTS = 32;

export class ChunkProcessor {
  readonly #store: Store;
  readonly #plans: PlanCache;
  /** A manifest never changes. */
  readonly #manifests = new Map<string, Manifest>();

  constructor(store: Store, plans: PlanCache) {
    this.#store = store;
    this.#plans = plans;
  }

  /** Repeating it is harmless: a chunk that is done is left as it is. */
  async answer(data: unknown, solve: Solve): Promise<ChunkReturn> {
    const job = parseDocument(chunkJobSchema, data, 'job');
    const { batches, results } = this.#store;
    const [chunk, rows] = await Promise.all([
      batches.chunk(job.batch, job.chunk),
      batches.rows(job.batch, job.chunk, job.digest),
    ]);
    if (chunk?.state === 'done') return returned(job, 'known');
    if (!chunk || !rows) throw gone(job);
    const { layout, policy } = await this.#manifest(job);
    const plan = await this.#plans.get(job.model, policy);
    const answer = await solve(plan, policy, { layout, bytes: rows, firstRow: job.firstRow, rows: job.rows });
    const counts = Object.fromEntries(answer.tally.statuses);
    const finished = { batch: job.batch, index: job.chunk, digest: job.digest, rows: job.rows, counts };
    const outcome = await results.finishChunk(finished, answer.bytes);
    if (outcome === 'gone') throw gone(job);
    return returned(job, outcome);
  }

  async #manifest(job: ChunkJob): Promise<Pick<Manifest, 'layout'> & { policy: Policy }> {
    const manifest = this.#manifests.get(job.batch) ?? (await this.#store.batches.status(job.batch)).manifest;
    if (this.#manifests.size >= MAX_MANIFESTS) this.#manifests.clear();
    this.#manifests.set(job.batch, manifest);
    const { digest, document } = manifest.policy;
    if (digest !== job.policy)
      throw new ElsewiseError('conflict', `batch "${job.batch}" has another policy than the job`);
    return { layout: manifest.layout, policy: { document, name: document.name, digest } };
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
