/** Whether a queue has workers. BullMQ names the connections of a worker after its queue, and Redis lists the connections. */
import type { Store } from '../store/store.js';

/** Undefined: Redis does not list connections for this user. */
export async function hasWorker({ redis, settings }: Store, queue: string): Promise<boolean | undefined> {
  const { openQueue } = await import('./text-jobs.js');
  const opened = openQueue(queue, redis, settings.queuePrefix);
  try {
    return (await opened.getWorkersCount()) > 0;
  } catch {
    return undefined;
  } finally {
    await opened.close();
  }
}
