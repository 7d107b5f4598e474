/**
 * One run of a schedule: references become pins, the pattern becomes files, each file with new content becomes a batch.
 *
 * Every step may happen twice or be cut off. The id of a batch follows from schedule, time, file and content. The claim on a file
 * (store/schedules/schedule-store.ts) names the model and policy of its batch. A repeated run, or the next run after a crash,
 * therefore continues the same batch. Adding the same rows again changes nothing.
 */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { Queue } from 'bullmq';
import { ElsewiseError, ERROR_CODES } from '../../documents/error.js';
import type { Policy } from '../../policy/policy.js';
import type { FileClaim, RunFile, Schedule, ScheduleRun } from '../../store/schedules/schedule-document.js';
import type { Store } from '../../store/store.js';
import { codeOf } from '../failures/job-failure.js';
import type { Producer } from '../producer.js';
import { openSource } from '../rows/streams.js';
import { resolvePolicy } from '../worker/policy-source.js';
import { deliveryPath } from './delivery-path.js';
import { expandGlob } from './glob.js';
import type { DeliveryJob } from './schedule.js';

export interface RunRequest {
  readonly schedule: string;
  /** The scheduled time of the run. */
  readonly at: Date;
  readonly kind: ScheduleRun['kind'];
  readonly again: boolean;
  /** Ends the wait for room in Redis. The run then breaks off as if its worker had died, and can be repeated. */
  readonly signal?: AbortSignal;
}

/** The inputs of a run, resolved once at its start. */
interface Bound {
  readonly schedule: Schedule;
  readonly run: ScheduleRun;
  readonly model: string;
  readonly policy: Policy;
  readonly again: boolean;
  readonly signal: AbortSignal | undefined;
}

export class ScheduleRunner {
  readonly #store: Store;
  readonly #producer: Producer;
  readonly #queue: Queue;

  constructor(store: Store, producer: Producer, queue: Queue) {
    this.#store = store;
    this.#producer = producer;
    this.#queue = queue;
  }

  /** Throws if any part failed, after all other parts are done and recorded. */
  async run({ schedule: name, at, kind, again, signal }: RunRequest): Promise<void> {
    const schedule = await this.#store.schedules.find(name);
    if (!schedule || (schedule.isPaused && kind === 'scheduled')) return;
    const run = beginRun(at, kind);
    if (!(await this.#store.schedules.recordRun(name, run))) return;
    try {
      await this.#addFiles(schedule, run, { again, signal });
    } catch (error) {
      if (isBrokenOff(error, signal)) throw error; // the run has not ended: the next worker ends it
      run.failure = describeFailure(error);
      await this.#end(schedule, run);
      throw error;
    }
    await this.#end(schedule, run);
    refuseFailures(run);
  }

  /** No worker survived the run. It is recorded as failed unless it has ended. */
  async giveUp(name: string, at: Date, error: Error): Promise<void> {
    const run = await this.#store.schedules.run(name, at.toISOString());
    const schedule = await this.#store.schedules.find(name);
    if (!schedule || run?.outcome !== 'running') return;
    run.failure = describeFailure(error);
    await this.#end(schedule, run);
  }

  async #addFiles(schedule: Schedule, run: ScheduleRun, how: Pick<Bound, 'again' | 'signal'>): Promise<void> {
    const { name, version } = await this.#store.models.resolve(schedule.model);
    const policy = await resolvePolicy(this.#store, schedule.policy);
    run.model = `${name}@${version}`;
    const files = await expandGlob(schedule.input);
    await this.#store.schedules.see(schedule.name, files, Date.now());
    for (const file of files) await this.#addFile({ schedule, run, model: run.model, policy, ...how }, file);
  }

  /** A bad file is recorded and does not block the others. Without Redis the run ends. */
  async #addFile(bound: Bound, file: string): Promise<void> {
    try {
      const outcome = await this.#claimAndAdd(bound, file);
      if (outcome === 'known') bound.run.known++;
      else if (outcome !== 'removed') bound.run.files.push(outcome);
    } catch (error) {
      if (!isLasting(error, bound.signal)) throw error;
      bound.run.files.push({ file, failure: describeFailure(error) });
    }
  }

  /** `known`: an earlier run has processed the file. `removed`: the schedule is gone, and no record of the file is kept. */
  async #claimAndAdd(bound: Bound, file: string): Promise<RunFile | 'known' | 'removed'> {
    const { schedule, run, model, policy, again, signal } = bound;
    const digest = await digestOfFile(file);
    const batch = batchIdOf(schedule.name, run.id, file, digest);
    const wanted: FileClaim = { state: 'adding', digest, run: run.id, batch, model, policy: policy.document };
    const claim = await this.#store.schedules.claim(schedule.name, file, wanted, again);
    if (!claim) return 'removed';
    if (claim.state === 'adding') return this.#add(schedule, file, claim, signal);
    return claim.run === run.id ? { file, batch: claim.batch, rows: claim.rows } : 'known';
  }

  async #add(
    schedule: Schedule,
    file: string,
    claim: FileClaim & { state: 'adding' },
    signal: AbortSignal | undefined,
  ): Promise<RunFile> {
    const { batch, model, policy, digest, run } = claim;
    const { schedules } = this.#store;
    try {
      const source = whileUnchanged(file, digest);
      const by = `schedule:${schedule.name}`;
      const input = { source, name: file, model, policy, batch, by, signal };
      const { rows } = await this.#producer.enqueueBatch(input);
      await this.#orderDelivery(schedule, file, batch);
      await schedules.settle(schedule.name, file, { state: 'added', digest, run, batch, rows });
      return { file, batch, rows };
    } catch (error) {
      if (isLasting(error, signal)) await schedules.release(schedule.name, file, claim);
      throw error;
    }
  }

  async #orderDelivery({ name, output, detail }: Schedule, file: string, batch: string): Promise<void> {
    if (output === undefined) return;
    const job: DeliveryJob = { schedule: name, batch, output: deliveryPath(output, file, batch), detail };
    await this.#queue.add('deliver', job, { jobId: `deliver-${batch}` });
  }

  async #end(schedule: Schedule, run: ScheduleRun): Promise<void> {
    run.ended = new Date().toISOString();
    run.outcome = outcomeOf(run);
    await this.#store.schedules.recordRun(schedule.name, run);
  }
}

function beginRun(at: Date, kind: ScheduleRun['kind']): ScheduleRun {
  const started = new Date().toISOString();
  return { id: at.toISOString(), kind, started, outcome: 'running', files: [], known: 0 };
}

function outcomeOf({ failure, files }: ScheduleRun): ScheduleRun['outcome'] {
  if (failure || files.some((file) => file.failure)) return 'failed';
  return files.length > 0 ? 'added' : 'nothing-new';
}

function refuseFailures({ files }: ScheduleRun): void {
  const failed = files.filter((file) => file.failure);
  if (failed.length === 0) return;
  const [{ file, failure }] = failed;
  const first = failure!.message.startsWith(file) ? failure!.message : `${basename(file)}: ${failure!.message}`;
  throw new ElsewiseError('bad-input', `${failed.length} of ${files.length} new files could not be added; ${first}`);
}

const isBrokenOff = (error: unknown, signal?: AbortSignal): boolean =>
  signal?.aborted === true && error === signal.reason;

/** Whether a repetition would fail in the same way. */
function isLasting(error: unknown, signal?: AbortSignal): boolean {
  return error instanceof ElsewiseError && !ERROR_CODES[error.code].retry && !isBrokenOff(error, signal);
}

function describeFailure(error: unknown): { code: string; message: string } {
  return { code: codeOf(error as Error), message: (error as Error).message };
}

/** `nightly-20260115T020000Z-1f6e33b0c2aa` */
export function batchIdOf(schedule: string, run: string, file: string, digest: string): string {
  const time = run.replaceAll(/[-:]|\.000/g, '');
  const what = createHash('sha256').update(`${file}\0${digest}`).digest('hex').slice(0, 12);
  return `${schedule}-${time}-${what}`;
}

async function digestOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of (await openSource(path)).bytes) hash.update(bytes);
  return `sha256:${hash.digest('hex')}`;
}

/** The bytes of a file. Breaks off, before the batch is complete, if they differ from the claimed content. */
async function* whileUnchanged(path: string, digest: string): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  for await (const bytes of (await openSource(path)).bytes) {
    hash.update(bytes);
    yield bytes;
  }
  if (`sha256:${hash.digest('hex')}` === digest) return;
  throw new ElsewiseError('bad-input', 'changed while it was read: move files in when they are complete', path);
}
