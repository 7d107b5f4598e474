/** Writes dead letters and replays them: the record of a failed job, and its way back into the queue. */
import { ElsewiseError } from '../../documents/error.js';
import { isMalformed, type LetterEntry, type NewLetter } from '../../store/events/dead-store.js';
import type { RequestEntry } from '../../store/events/request-store.js';
import type { Store } from '../../store/store.js';
import { type LaneName, QUEUES } from '../contract.js';
import { openQueue } from '../text-jobs.js';
import { codeOf, reasonOf } from './job-failure.js';

/** A job that will not be tried again. */
export interface FailedJob {
  readonly id: string;
  /** The data as text; empty if there are none. */
  readonly data: string;
  readonly attempts: number;
}

export function letterOfJob(source: NewLetter['source'], job: FailedJob, error: Error): NewLetter {
  const { id, data, attempts } = job;
  const body = data === '' ? null : Buffer.from(data);
  return { source, origin: id, code: codeOf(error), message: reasonOf(error), attempts, body };
}

export function letterOfRequest({ id, body }: RequestEntry, error: Error, attempts: number): NewLetter {
  const common = { source: 'requests', origin: id, attempts } as const;
  return { ...common, code: codeOf(error), message: reasonOf(error), body: body ?? null };
}

/** Puts a job back. The letter is removed last: after a crash in between, it is replayed twice instead of never. */
export async function replayLetter(store: Store, letter: LetterEntry): Promise<void> {
  if (isMalformed(letter)) throw notReplayable(letter.id, 'is malformed');
  const { id, source, origin, body, isCut } = letter;
  if (body === null) throw notReplayable(id, 'has no body');
  if (isCut) throw notReplayable(id, 'was too long to be kept whole');
  if (source === 'schedule') throw notReplayable(id, 'was a job of a schedule, which makes its next one itself');
  if (source === 'requests') await store.requests.add(body);
  else await addAgain(store, source, replayedId(origin), body);
  await store.dead.drop(id);
}

function notReplayable(id: string, why: string): ElsewiseError {
  return new ElsewiseError('unsupported', `dead letter "${id}" ${why}: it cannot be replayed, only dropped`);
}

/** BullMQ numbers jobs without an id, and refuses a number or a colon in a given id. */
function replayedId(origin: string): string {
  return /^\d+$|:/.test(origin) ? `replayed-${origin.replaceAll(':', '-')}` : origin;
}

const JOB_NAMES = { events: 'event', bulk: 'chunk' } as const;

/** Adds the job under its old id, so that nothing is there twice. The failed job is removed, with its count of attempts. */
async function addAgain(store: Store, lane: LaneName, jobId: string, data: string): Promise<void> {
  const queue = openQueue(QUEUES[lane], store.redis, store.settings.queuePrefix);
  try {
    const failed = await queue.getJob(jobId);
    if (failed && (await failed.isFailed())) await failed.remove();
    await queue.add(JOB_NAMES[lane], data, { jobId });
  } finally {
    await queue.close();
  }
}
