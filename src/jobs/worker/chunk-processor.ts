/** A job of the bulk queue: reads the rows of one chunk from the store, solves them in the threads, and stores the results. */
import { ElsewiseError } from '../../documents/error.js';
import { parseDocument } from '../../documents/parse.js';
import { parseStored } from '../../documents/untrusted-json.js';
import type { Policy } from '../../policy/policy.js';
import type { AuditBlock } from '../../store/audit/audit-record.js';
import { type ChunkRun, generationOf, type Manifest } from '../../store/batches/manifest.js';
import type { Finish } from '../../store/batches/result-store.js';
import type { Store } from '../../store/store.js';
import type { AuditedJob, AuditLog } from '../audit/audit-log.js';
import { whileFull } from '../batches/backpressure.js';
import { settleBatch } from '../batches/batch-end.js';
import { type ChunkJob, type ChunkReturn, chunkJobSchema, generationOfJob } from '../contract.js';
import type { ChunkAnswer } from '../threads/messages.js';
import { CancelWatch } from './cancel-watch.js';
import { KnownRows } from './known-rows.js';
import type { JobRun, Solve } from './lane.js';
import type { PlanCache } from './plan-cache.js';

const MAX_MANIFESTS = 32;
/** Producers leave room for results. If no room is left, workers wait this long before the chunk counts as failed. */
const PATIENCE_MS = 60_000;

export class ChunkProcessor {
  readonly #store: Store;
  readonly #plans: PlanCache;
  readonly #audit: AuditLog;
  readonly #knownRows: KnownRows;
  /** By id and generation: a manifest never changes, but another batch may reuse the id. */
  readonly #manifests = new Map<string, Manifest>();

  constructor(store: Store, plans: PlanCache, audit: AuditLog) {
    this.#store = store;
    this.#plans = plans;
    this.#audit = audit;
    this.#knownRows = new KnownRows(store);
  }

  /** Repeating a job is harmless: a finished chunk stays unchanged, and so does a batch for which the job was not made. */
  async answer(text: string, solve: Solve, run: JobRun): Promise<ChunkReturn> {
    const job = readChunkJob(text);
    const watch = new CancelWatch(() => this.#store.batches.isCancelled(job.batch));
    try {
      return await this.#work(job, run, solve, watch.signal);
    } catch (error) {
      if (!watch.signal.aborted && !(await this.#store.batches.isCancelled(job.batch))) throw error;
      await this.#store.batches.dropRows(job.batch, [job.chunk]);
      return returned(job, 'cancelled');
    } finally {
      watch.stop();
    }
  }

  async #work(job: ChunkJob, run: JobRun, solve: Solve, signal: AbortSignal): Promise<ChunkReturn> {
    const { batches } = this.#store;
    const made = generationOfJob(run.id);
    const { chunk, generation, isStale } = await batches.find({ ...job, generation: made });
    if (isStale) return returned(job, 'stale');
    if (chunk?.state === 'done') return this.#alreadyStored(job, generation);
    const bytes = chunk && (await batches.rows(job.batch, job.chunk, job.digest));
    if (!bytes || generation === undefined) throw gone(job);
    const manifest = await this.#manifest(job, generation);
    if (!isMadeFrom(job, manifest)) return returned(job, 'stale');
    const { layout, probe } = manifest;
    const { document, digest } = manifest.policy;
    const policy: Policy = { document, name: document.name, digest };
    const plan = await this.#plans.get(job.model, policy);
    const batch = { batch: job.batch, generation };
    const { firstRow, rows } = job;
    const asked = { plan, policy, rows: { layout, bytes, firstRow, rows }, batch, msPerRow: probe?.msPerRow };
    const answer = await this.#knownRows.solve(
      { ...asked, options: { isPacked: true, isAudited: this.#audit.isOn, signal } },
      solve,
    );
    const outcome = await this.#finish(job, generation, answer, run);
    if (outcome === 'gone') throw gone(job);
    if (outcome === 'known') return this.#alreadyStored(job, generation);
    if (outcome === 'stale') return returned(job, outcome);
    if (answer.audit) await this.#record(job, manifest, answer.audit);
    await this.#knownRows.rememberChunk(plan, batch, job.chunk, answer).catch(() => {}); // a failed write costs only cache entries
    if (outcome === 'touch') {
      await batches.touch(job.batch);
      await settleBatch(this.#store, job.batch);
    }
    return returned(job, 'stored');
  }

  #record(job: ChunkJob, manifest: Manifest, block: AuditBlock): Promise<void> {
    return whileFull(() => this.#audit.record(auditedChunk(job, manifest), block), { patienceMs: PATIENCE_MS });
  }

  /** The worker that stored the results may have died before their record, which is then made up for. */
  async #alreadyStored(job: ChunkJob, generation: string | undefined): Promise<ChunkReturn> {
    const known = returned(job, 'known');
    if (generation === undefined || !(await this.#audit.lacks(auditKey(job, generation)))) return known;
    const { chunk } = await this.#store.batches.find({ ...job, generation });
    if (chunk?.state !== 'done') return known;
    const manifest = await this.#manifest(job, generation);
    const lines = await this.#store.results.chunkResults(job.batch, job.chunk, chunk.results);
    await this.#audit.recordLines(auditedChunk(job, manifest), lines.toString().split('\n'));
    return known;
  }

  #finish(job: ChunkJob, generation: string, answer: ChunkAnswer, run: JobRun): Promise<Finish> {
    const { digest, firstRow, rows } = job;
    const { costs, statuses } = answer.tally;
    const counts = Object.fromEntries(statuses);
    const finished = {
      batch: job.batch,
      generation,
      index: job.chunk,
      facts: { digest, firstRow, rows },
      counts,
      costs,
      run: endOfRun(run),
    };
    const block = { data: answer.bytes, digest: answer.digest! };
    return whileFull(() => this.#store.results.finishChunk(finished, block), { patienceMs: PATIENCE_MS });
  }

  async #manifest(job: ChunkJob, generation: string): Promise<Manifest> {
    const name = `${job.batch}@${generation}`;
    const manifest = this.#manifests.get(name) ?? (await this.#store.batches.manifest(job.batch));
    if (!manifest || generationOf(manifest) !== generation) throw gone(job);
    if (this.#manifests.size >= MAX_MANIFESTS) this.#manifests.clear();
    this.#manifests.set(name, manifest);
    return manifest;
  }
}

const endOfRun = ({ started, worker, attempts }: JobRun): ChunkRun => ({
  ...{ started, worker, attempts },
  ended: Date.now(),
});

const auditKey = ({ batch, chunk }: ChunkJob, generation: string): string => `${batch}@${generation}:${chunk}`;

function auditedChunk(job: ChunkJob, manifest: Manifest): AuditedJob {
  const { document, digest } = manifest.policy;
  return {
    source: 'batch',
    job: auditKey(job, generationOf(manifest)),
    batch: manifest.id,
    by: manifest.by,
    model: manifest.model,
    policy: { document, digest, name: document.name },
  };
}

function readChunkJob(text: string): ChunkJob {
  return parseDocument(chunkJobSchema, parseStored(text, 'job'), 'job');
}

/** False for a job without a generation that belongs to an earlier batch with the same rows. */
function isMadeFrom({ model, policy }: ChunkJob, manifest: Manifest): boolean {
  return model.digest === manifest.model.digest && policy === manifest.policy.digest;
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
