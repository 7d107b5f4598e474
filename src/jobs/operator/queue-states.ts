/** The queues as operators see them: counts of jobs, paused or not. The stream of requests is no queue of BullMQ and cannot be paused. */
import type { Queue } from 'bullmq';
import type { Store } from '../../store/store.js';
import { QUEUES, SCHEDULE_QUEUE } from '../contract.js';
import { openQueue } from '../text-jobs.js';
import { WEBHOOK_QUEUE } from '../webhooks/webhook.js';
import { REQUESTS } from '../worker/request-lane.js';

export const PAUSABLE = [QUEUES.events, QUEUES.bulk, SCHEDULE_QUEUE, WEBHOOK_QUEUE] as const;

export type PausableQueue = (typeof PAUSABLE)[number];

export interface QueueState {
  readonly name: string;
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly failed: number;
  readonly isPaused: boolean;
  readonly canPause: boolean;
}

export async function queueStates(store: Store): Promise<QueueState[]> {
  const [requests, ...queues] = await Promise.all([
    requestState(store),
    ...PAUSABLE.map((name) => withQueue(store, name, (queue) => stateOfQueue(queue))),
  ]);
  const [events, ...others] = queues;
  return [events, requests, ...others];
}

/** Returns the effect in words. Jobs under way continue. */
export async function setPaused(store: Store, name: PausableQueue, isPaused: boolean): Promise<string> {
  await withQueue(store, name, (queue) => (isPaused ? queue.pause() : queue.resume()));
  return isPaused ? 'paused' : 'resumed';
}

async function stateOfQueue(queue: Queue): Promise<QueueState> {
  const [counts, isPaused] = await Promise.all([
    queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed'),
    queue.isPaused(),
  ]);
  const { waiting = 0, prioritized = 0, active = 0, delayed = 0, failed = 0 } = counts;
  const { name } = queue;
  return { name, waiting: waiting + prioritized, active, delayed, failed, isPaused, canPause: true };
}

async function requestState({ requests }: Store): Promise<QueueState> {
  const { waiting, pending } = await requests.depth().catch(unlessMissing);
  const none = { delayed: 0, failed: 0, isPaused: false, canPause: false };
  return { name: REQUESTS, waiting, active: pending, ...none };
}

/** Without a worker so far, the stream and its group do not exist. */
function unlessMissing(error: Error): { waiting: number; pending: number } {
  if (!error.message.startsWith('NOGROUP')) throw error;
  return { waiting: 0, pending: 0 };
}

async function withQueue<T>({ redis, settings }: Store, name: string, use: (queue: Queue) => Promise<T>): Promise<T> {
  const queue = openQueue(name, redis, settings.queuePrefix);
  try {
    return await use(queue);
  } finally {
    await queue.close();
  }
}
