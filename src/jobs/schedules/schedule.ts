/**
 * The operations on schedules: add, pause, resume, run now, remove. BullMQ's job schedulers keep the times. They put one job into the queue
 * for each time, for any number of workers. A time that passed without a worker is made up for once. schedule-run.ts processes the jobs.
 */
import type { Job, JobSchedulerJson, Queue } from 'bullmq';
import { z } from 'zod';
import { ElsewiseError } from '../../documents/error.js';
import { parseDocument } from '../../documents/parse.js';
import { batchIdSchema } from '../../store/batches/manifest.js';
import { resultDetailSchema, type Schedule, scheduleNameSchema } from '../../store/schedules/schedule-document.js';
import type { Store } from '../../store/store.js';
import { SCHEDULE_QUEUE } from '../contract.js';
import { queueOptions } from '../queues.js';
import { ValueQueue } from '../text-jobs.js';
import { nextTimes } from './cron.js';

/** The last time that a Date can represent. */
const LAST_DAY_MS = 8.64e15;

/** The jobs for a worker: a run, for the time of the job itself unless it was requested by hand, or a delivery. */
const JOB_SCHEMAS = {
  run: z.strictObject({
    schedule: scheduleNameSchema,
    /** For a run by hand: the time of the request, in milliseconds. */
    at: z.int().min(0).max(LAST_DAY_MS).optional(),
    /** Includes files that were processed before. */
    again: z.boolean().optional(),
  }),
  deliver: z.strictObject({
    schedule: scheduleNameSchema,
    batch: batchIdSchema,
    /** The file to write. Its ending decides the format. */
    output: z.string().min(1),
    detail: resultDetailSchema.optional(),
  }),
};

export type RunJob = Readonly<z.output<typeof JOB_SCHEMAS.run>>;
export type DeliveryJob = Readonly<z.output<typeof JOB_SCHEMAS.deliver>>;

/** A job by its kind. `at`: the time of the run, from the request by hand or from BullMQ's scheduler. */
export type ScheduleJob =
  | { readonly kind: 'run'; readonly data: RunJob; readonly at: Date }
  | { readonly kind: 'deliver'; readonly data: DeliveryJob };

/** Refuses jobs that our schedulers did not create. */
export function readScheduleJob({ name, data, opts, timestamp }: Job<unknown>): ScheduleJob {
  if (name === 'deliver') return { kind: name, data: parseDocument(JOB_SCHEMAS.deliver, data, 'job') };
  if (name !== 'run') throw new ElsewiseError('bad-document', `no job of a schedule is called "${name}"`, 'job.name');
  const run = parseDocument(JOB_SCHEMAS.run, data, 'job');
  const at = new Date(run.at ?? opts.prevMillis ?? timestamp);
  if (Number.isNaN(at.getTime())) throw new ElsewiseError('bad-document', 'the job has no valid time', 'job.timestamp');
  return { kind: name, data: run, at };
}

export interface ScheduleStatus {
  readonly schedule: Schedule;
  /** Undefined while the schedule is paused. */
  readonly next: Date | undefined;
}

/** For inspection. The store records the outcome of each run. */
const FAILED_KEPT = 1_000;

export function openScheduleQueue({ redis, settings }: Store): Queue {
  const queue = new ValueQueue(SCHEDULE_QUEUE, {
    connection: redis,
    ...queueOptions(settings.queuePrefix, FAILED_KEPT),
  });
  return queue.on('error', () => {}); // the failing call reports the error itself
}

export class Schedules {
  readonly #store: Store;
  readonly #queue: Queue;

  constructor(store: Store) {
    this.#store = store;
    this.#queue = openScheduleQueue(store);
  }

  /** For processes that open many. */
  async close(): Promise<void> {
    await this.#queue.close();
  }

  /** Returns the next times. The same schedule again changes nothing; another one under the same name needs `replace`. */
  async add(schedule: Schedule, options: { replace: boolean }): Promise<Date[]> {
    const times = nextTimes(schedule, Date.now(), 3);
    if (options.replace) await this.#store.schedules.put(schedule);
    else await this.#store.schedules.create(schedule);
    await this.#start(schedule);
    return times;
  }

  async list(): Promise<ScheduleStatus[]> {
    return Promise.all((await this.#store.schedules.list()).map((schedule) => this.#status(schedule)));
  }

  async read(name: string): Promise<ScheduleStatus> {
    return this.#status(await this.#store.schedules.read(name));
  }

  /** A run in progress continues. */
  async pause(name: string): Promise<void> {
    await this.#store.schedules.change(name, { isPaused: true });
    await this.#queue.removeJobScheduler(name);
  }

  /** Times that passed meanwhile are not made up for. Returns the next times. */
  async resume(name: string): Promise<Date[]> {
    const schedule = await this.#store.schedules.change(name, { isPaused: false });
    await this.#start(schedule);
    return nextTimes(schedule, Date.now(), 3);
  }

  /** Batches of the schedule stay. A run in progress ends after its present file. */
  async remove(name: string): Promise<void> {
    await this.#store.schedules.read(name);
    await this.#queue.removeJobScheduler(name);
    await this.#store.schedules.remove(name);
  }

  /** Returns the id of the run, which is the present time. */
  async run(name: string, options: { again: boolean }): Promise<string> {
    await this.#store.schedules.read(name);
    const at = Date.now();
    const job: RunJob = { schedule: name, at, again: options.again };
    await this.#queue.add('run', job, { jobId: `run-${name}-${at}` });
    return new Date(at).toISOString();
  }

  async #start({ name, cron, timeZone }: Schedule): Promise<void> {
    const job: RunJob = { schedule: name };
    await this.#queue.upsertJobScheduler(name, { pattern: cron, tz: timeZone }, { name: 'run', data: job });
  }

  async #status(schedule: Schedule): Promise<ScheduleStatus> {
    const scheduler: JobSchedulerJson | undefined = await this.#queue.getJobScheduler(schedule.name);
    return { schedule, next: scheduler?.next ? new Date(scheduler.next) : undefined };
  }
}
