/**
 * The data of a single row outside of batches: its answers, its job, its request, its dead letters, and the messages that BullMQ keeps about
 * its job. A row is found by its id, never by its values.
 */
import type { ForgottenPlace } from '../../documents/forgotten-document.js';
import { findRepeatedKey } from '../../documents/repeated-key.js';
import { isMalformed, type LetterEntry } from '../../store/events/dead-store.js';
import { PendingStore } from '../../store/events/pending-store.js';
import { Keys } from '../../store/keys.js';
import type { KnownRowReference } from '../../store/known-rows/known-row-store.js';
import { dropEntries } from '../../store/redis/stream-entries.js';
import type { Store } from '../../store/store.js';
import { eventJobId, QUEUES } from '../contract.js';
import { openQueue, type TextQueue } from '../text-jobs.js';

export interface ForgottenParts {
  readonly removed: Partial<Record<ForgottenPlace, number>>;
  readonly remaining: readonly string[];
  /** The places of removed results in the index of known rows. */
  readonly known: readonly KnownRowReference[];
}

export async function forgetEvents(store: Store, id: string): Promise<ForgottenParts> {
  const { redis, settings, results } = store;
  const keys = new Keys(settings.keyPrefix);
  const queue = openQueue(QUEUES.events, redis, settings.queuePrefix);
  try {
    const requests = await dropEntries(redis, keys.requests(), isBodyOf(id), (entry) => store.requests.settle(entry));
    const jobs = await dropJobs(queue, id);
    const answers = await results.dropAnswersOf(id);
    const removed: ForgottenParts['removed'] = {
      'entries of the stream of requests': requests,
      'jobs of the queue of events': jobs.dropped,
      'answers under the id': Number(await results.dropResult(id)),
      'answers by content': answers.length,
      'notes of pending rows': Number(await new PendingStore(redis, keys, settings.answerTtlSeconds).drop(id)),
      'entries of the stream of answers': await results.dropFromStream(id),
      'messages of the queue of events': await dropEntries(redis, queue.toKey('events'), isMessageAbout(id)),
      'dead letters': await dropLetters(store, id),
    };
    const isInWork = jobs.active > 0 || requests > 0;
    return { removed, remaining: isInWork ? [IN_WORK] : [], known: answers.map((answer) => ({ answer })) };
  } finally {
    await queue.close();
  }
}

const IN_WORK =
  'a worker may have a row of this id in hand and answers the row all the same: run forget again after its answer';

/**
 * The JSON of a request, of a job or of a letter. A number counts as the id with its digits. A text that is no JSON, such as a cut letter, is
 * searched, and so is a text that names a key twice: JSON.parse keeps the last id only.
 */
function hasId(text: string, id: string): boolean {
  try {
    const found = (JSON.parse(text) as { id?: unknown } | null)?.id;
    return isId(found, id) || (findRepeatedKey(text) !== undefined && isWithin(text, id));
  } catch {
    return isWithin(text, id);
  }
}

const isId = (value: unknown, id: string): boolean =>
  (typeof value === 'string' || typeof value === 'number') && String(value) === id;

const WRITTEN_ID = /"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*)/g;

const isWithin = (text: string, id: string): boolean =>
  [...text.matchAll(WRITTEN_ID)].some(([, written]) => isId(parsedOf(written), id));

function parsedOf(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return undefined;
  }
}

const isBodyOf =
  (id: string) =>
  (fields: readonly string[]): boolean =>
    hasId(fields[fields.indexOf('body') + 1] ?? '', id);

/** A message names the job, and the end of a job has its return value. Our own job ids end with a digest of the row's id. */
function isMessageAbout(id: string): (fields: readonly string[]) => boolean {
  const ending = eventJobId('', id).slice('event-'.length);
  return (fields) => fields.some((text) => (text.startsWith('event-') && text.endsWith(ending)) || hasId(text, id));
}

const JOB_STATES = ['wait', 'prioritized', 'delayed', 'failed', 'completed', 'active'] as const;
const JOBS_AT_ONCE = 500;

/** A job in work is locked and stays. */
async function dropJobs(queue: TextQueue, id: string): Promise<{ dropped: number; active: number }> {
  const found = { dropped: 0, active: 0 };
  for (const state of JOB_STATES) {
    for (const job of await jobsOf(queue, state)) {
      if (!job || !hasId(String(job.data), id)) continue;
      if (state !== 'active' && (await job.remove().then(isTrue, isFalse))) found.dropped++;
      else found.active++;
    }
  }
  return found;
}

const isTrue = (): boolean => true;
const isFalse = (): boolean => false;

async function jobsOf(queue: TextQueue, state: (typeof JOB_STATES)[number]) {
  const jobs: Awaited<ReturnType<TextQueue['getJobs']>> = [];
  for (let from = 0; ; from += JOBS_AT_ONCE) {
    const page = await queue.getJobs([state], from, from + JOBS_AT_ONCE - 1);
    jobs.push(...page);
    if (page.length < JOBS_AT_ONCE) return jobs;
  }
}

async function dropLetters({ dead }: Store, id: string): Promise<number> {
  const meant: string[] = [];
  for await (const letter of dead.list()) if (hasId(textOf(letter), id)) meant.push(letter.id);
  for (const letter of meant) await dead.drop(letter);
  return meant.length;
}

const textOf = (letter: LetterEntry): string => (isMalformed(letter) ? letter.text : (letter.body ?? ''));
