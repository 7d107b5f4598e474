/** The settings of our queues, the same for producers and workers. */
import type { QueueOptions, WorkerOptions } from 'bullmq';
import { config } from '../config.js';

/** Return values stay in BullMQ's stream of events. Nothing is delivered by this stream, and it is kept short. */
const EVENT_STREAM_LENGTH = 1_000;

/**
 * Done jobs are removed, what they did is in the store; failed ones stay until they are written down, see stored-jobs.ts. Retries are
 * for what may get better by itself, see job-failure.ts. `failedKept`: of a queue whose failures are told elsewhere.
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
 * A killed worker's jobs run again after their lock expires and a stalled check runs, which may be two checks later: workers take turns
 * at looking. The pool, not the lock, ends rows that overrun.
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
