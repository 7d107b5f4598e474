/** A hint for work that waits in a queue which no worker serves. */
import { QUEUES, SCHEDULE_QUEUE } from '../../jobs/contract.js';
import { hasWorker } from '../../jobs/queue-service.js';
import type { Store } from '../../store/store.js';

const QUEUE_NAMES = { bulk: QUEUES.bulk, schedule: SCHEDULE_QUEUE } as const;

export type HintedQueue = keyof typeof QUEUE_NAMES;

/** The hint for the first of the queues without a worker. Undefined: all have workers, or Redis does not say. */
export async function workerHint(store: Store, ...queues: readonly HintedQueue[]): Promise<string | undefined> {
  const served = await Promise.all(queues.map((queue) => hasWorker(store, QUEUE_NAMES[queue])));
  const idle = queues.filter((_, i) => served[i] === false);
  if (idle.length === 0) return undefined;
  const names = `${idle.length === 1 ? 'the queue' : 'the queues'} ${idle.join(' and ')}`;
  return `no worker serves ${names}: start one with elsewise worker --queues ${idle.join(',')}`;
}
