/**
 * Schedules as their owner handles them: added, paused, resumed, run now, removed. Times are kept by BullMQ's job
 * schedulers, which put one job into the queue for each time however many workers there are; a time that passed while no
 * worker was up is made up for once. What a job does is in schedule-run.ts.
 */
import type { Job, JobSchedulerJson, Queue } from 'bullmq';
import { z } from 'zod';
import { ElsewiseError } from '../../documents/error.js';
import { parseDocument } from '../../documents/parse.js';
import { batchIdSchema } from '../../store/batches/manifest.js';
import { type Schedule, scheduleNameSchema } from '../../store/schedules/schedule-document.js';
import type { Store } from '../../store/store.js';
import { queueOptions } from '../queues.js';
import { ValueQueue } from '../text-jobs.js';
import { nextTimes } from './cron.js';

export const SCHEDULE_QUEUE = 'elsewise-schedule';

/** The last that a date can have. */
const LAST_DAY_MS = 8.64e15;

/** What a worker is told: a run, for the time of the job itself unless it was asked for by hand; or a delivery. */
const JOB_SCHEMAS = {
  run: z.strictObject({
    schedule: scheduleNameSchema,
    /** Of a run by hand: when it was asked for, in milliseconds. */
    at: z.int().min(0).max(LAST_DAY_MS).optional(),
    /** Also the files that were done before. */
    again: z.boolean().optional(),
  }),
  deliver: z.strictObject({
    schedule: scheduleNameSchema,
    batch: batchIdSchema,
    /** The file to write. */
    output: z.string().min(1),
  }),
};

export type RunJob = Readonly<z.output<typeof JOB_SCHEMAS.run>>;
export type DeliveryJob = Readonly<z.output<typeof JOB_SCHEMAS.deliver>>;

/** A job by its kind; `at` is the time it is for: when it was asked for by hand, or what BullMQ's scheduler made it for. */
export type ScheduleJob =
  | { readonly kind: 'run'; readonly data: RunJob; readonly at: Date }
  | { readonly kind: 'deliver'; readonly data: DeliveryJob };

/** Refuses what no scheduler of ours has made. */
export function readScheduleJob({ name, data, opts, timestamp }: Job<unknown>): ScheduleJob {
  if (name === 'deliver') return { kind: name, data: parseDocument(JOB_SCHEMAS.deliver, data, 'job') };
  if (name !== 'run') throw new ElsewiseError('bad-document', `no job of a schedule is called "${name}"`, 'job.name');
  const run = parseDocument(JOB_SCHEMAS.run, data, 'job');
  const at = new Date(run.at ?? opts.prevMillis ?? timestamp);
  if (Number.isNaN(at.getTime())) throw new ElsewiseError('bad-document', 'the job is for no time', 'job.timestamp');
  return { kind: name, data: run, at };
}

export interface ScheduleStatus {
  readonly schedule: Schedule;
  /** None while it is paused. */
  readonly next: Date | undefined;
}

/** For inspection: what came of a run is in the memory of its schedule. */
const FAILED_KEPT = 1_000;

export function openScheduleQueue({ redis, settings }: Store): Queue {
  const queue = new ValueQueue(SCHEDULE_QUEUE, {
    connection: redis,
    ...queueOptions(settings.queuePrefix, FAILED_KEPT),
  });
  return queue.on('error', () => {}); // the call that breaks says so itself
}

export class Schedules {
  readonly #store: Store;
  readonly #queue: Queue;

  constructor(store: Store) {
    this.#store = store;
    this.#queue = openScheduleQueue(store);
  }

  /** Gives its next times. The same again changes nothing; another under the same name needs `replace`. */
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

  /** A run that has begun goes on. */
  async pause(name: string): Promise<void> {
    await this.#store.schedules.change(name, { isPaused: true });
    await this.#queue.removeJobScheduler(name);
  }

  /** Times that passed meanwhile are not made up for. Gives the next ones. */
  async resume(name: string): Promise<Date[]> {
    const schedule = await this.#store.schedules.change(name, { isPaused: false });
    await this.#start(schedule);
    return nextTimes(schedule, Date.now(), 3);
  }

  /** Batches that it has made stay; a run that has begun ends with the file that it is at. */
  async remove(name: string): Promise<void> {
    await this.#store.schedules.read(name);
    await this.#queue.removeJobScheduler(name);
    await this.#store.schedules.remove(name);
  }

  /** Gives the id of the run, which is the present time. */
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
