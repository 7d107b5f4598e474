/** The settings of our queues, the same for producers and workers. */
import type { QueueOptions, WorkerOptions } from 'bullmq';
import { config } from '../config.js';

/** BullMQ's stream of events holds return values. No result is delivered by this stream, so it is kept short. */
const EVENT_STREAM_LENGTH = 1_000;

/**
 * Completed jobs are removed, because the store holds their results. Failed jobs stay until their failure is recorded, see stored-jobs.ts.
 * Only failures that may pass by themselves are retried, see job-failure.ts. `failedKept`: for a queue whose failures are recorded
 * elsewhere.
 */
export function queueOptions(prefix: string, failedKept?: number): Omit<QueueOptions, 'connection'> {
  return {
    prefix,
    streams: { events: { maxLen: EVENT_STREAM_LENGTH } },
    defaultJobOptions: {
      attempts: 4,
      backoff: { type: 'exponential', delay: 1_000 },
      removeOnComplete: true,
      removeOnFail: failedKept === undefined ? false : { count: failedKept },
      stackTraceLimit: 3,
    },
  };
}

/** After a broken connection BullMQ would wait 15 s before it takes the next job. */
const RETRY_MS = 1_000;

/**
 * The jobs of a killed worker run again after their lock expires and a stalled check runs. That may be two checks later, because workers
 * take turns with the checks. The pool, not the lock, ends rows that overrun.
 */
export function workerOptions(prefix: string, concurrency: number): Omit<WorkerOptions, 'connection'> {
  const { lockMs, stalledCheckMs, maxStalls } = config.worker;
  return {
    prefix,
    concurrency,
    lockDuration: lockMs,
    stalledInterval: stalledCheckMs,
    maxStalledCount: maxStalls,
    runRetryDelay: RETRY_MS,
  };
}
