/** Writes dead letters and replays them: the record of a failed job, and its way back into the queue. */
import { ElsewiseError, placeOf } from '../../documents/error.js';
import { isMalformed, type LetterEntry, type NewLetter } from '../../store/events/dead-store.js';
import type { RequestEntry } from '../../store/events/request-store.js';
import type { Store } from '../../store/store.js';
import { type LaneName, QUEUES } from '../contract.js';
import { openQueue, type TextQueue } from '../text-jobs.js';
import { codeOf, reasonOf } from './job-failure.js';

/** A job that will not be tried again. */
export interface FailedJob {
  readonly id: string;
  /** The data as text; empty if there are none. */
  readonly data: string;
  readonly attempts: number;
  /** The time of the last attempt, in ms. */
  readonly started?: number;
}

export function letterOfJob(source: NewLetter['source'], job: FailedJob, error: Error): NewLetter {
  const { id, data, attempts } = job;
  const body = data === '' ? null : Buffer.from(data);
  return {
    source,
    origin: id,
    code: codeOf(error),
    message: reasonOf(error),
    ...placeOf(error),
    ...subjectOf(body),
    attempts,
    body,
  };
}

export function letterOfRequest({ id, body }: RequestEntry, error: Error, attempts: number): NewLetter {
  const common = { source: 'requests', origin: id, attempts } as const;
  return {
    ...common,
    code: codeOf(error),
    message: reasonOf(error),
    ...placeOf(error),
    ...subjectOf(body),
    body: body ?? null,
  };
}

/** A longer body is not parsed on the main loop. */
const MOST_PARSED_BYTES = 65_536;

/** The model and the policy that a body names, in words. */
function subjectOf(body: Buffer | null | undefined): Pick<NewLetter, 'model' | 'policy'> {
  if (!body || body.length > MOST_PARSED_BYTES) return {};
  try {
    const { model, policy } = Object(JSON.parse(body.toString())) as { model?: unknown; policy?: unknown };
    return { model: nameIn(model), policy: nameIn(policy) };
  } catch {
    return {}; // such a body is the reason of many letters
  }
}

/** A reference or a digest stays; a pin becomes `name@version`, a document its name. */
function nameIn(given: unknown): string | undefined {
  if (typeof given === 'string') return given;
  const { name, version } = Object(given) as { name?: unknown; version?: unknown };
  if (typeof name !== 'string') return undefined;
  return Number.isInteger(version) ? `${name}@${version}` : name;
}

/**
 * Puts jobs back, each with its letter removed last: after a crash in between, a job is replayed twice instead of never. Two jobs with one id
 * are one job.
 */
export class LetterReplayer {
  readonly #store: Store;
  readonly #queues = new Map<LaneName, TextQueue>();

  constructor(store: Store) {
    this.#store = store;
  }

  async replay(letter: LetterEntry): Promise<void> {
    if (isMalformed(letter)) throw notReplayable(letter.id, 'is malformed');
    const { id, source, origin, body, isCut } = letter;
    if (body === null) throw notReplayable(id, 'has no body');
    if (isCut) throw notReplayable(id, 'was too long to be kept whole');
    if (source === 'schedule') throw notReplayable(id, 'was a job of a schedule, which makes its next one itself');
    if (source === 'requests') await this.#store.requests.add(body);
    else await addAgain(this.#queue(source), JOB_NAMES[source], replayedId(origin), body);
    await this.#store.dead.drop(id);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
  }

  #queue(lane: LaneName): TextQueue {
    const { redis, settings } = this.#store;
    const queue = this.#queues.get(lane) ?? openQueue(QUEUES[lane], redis, settings.queuePrefix);
    this.#queues.set(lane, queue);
    return queue;
  }
}

function notReplayable(id: string, why: string): ElsewiseError {
  return new ElsewiseError('unsupported', `dead letter "${id}" ${why}: it cannot be replayed, only dropped`);
}

/** Whether the letter stays because of its content. */
export const isNotReplayable = (error: unknown): boolean =>
  error instanceof ElsewiseError && error.code === 'unsupported';

/** BullMQ numbers jobs without an id, and refuses a number or a colon in a given id. */
function replayedId(origin: string): string {
  return /^\d+$|:/.test(origin) ? `replayed-${origin.replaceAll(':', '-')}` : origin;
}

const JOB_NAMES = { events: 'event', bulk: 'chunk' } as const;

/** Adds the job under its old id, so that nothing is there twice. The failed job is removed, with its count of attempts. */
async function addAgain(queue: TextQueue, name: string, jobId: string, data: string): Promise<void> {
  const failed = await queue.getJob(jobId);
  if (failed && (await failed.isFailed())) await failed.remove();
  await queue.add(name, data, { jobId });
}
