/**
 * Dead letters: requests and jobs that were given up, each with the reason, until an operator replays or drops them. The store is
 * bounded by count and age. The id follows from the source of the letter: recording the same failure twice leaves one letter.
 */
import { z } from 'zod';
import type { Config } from '../../config.js';
import { listOf } from '../../documents/collections.js';
import { ElsewiseError, type PlacedFault } from '../../documents/error.js';
import { parseDocument } from '../../documents/parse.js';
import type { Keys } from '../keys.js';
import type { RedisClient } from '../redis/redis.js';
import { runScript } from '../redis/scripts.js';
import { groupArguments, LetterGroups, letterAt } from './letter-groups.js';
import { DROP_LETTER, KEEP_LETTERS } from './letter-scripts.js';

/** The source of a letter, to which a replay returns it. Only jobs of schedules are not replayed. */
export const LETTER_SOURCES = ['requests', 'events', 'bulk', 'schedule'] as const;

export const letterSchema = z.strictObject({
  schema: z.literal('elsewise.dead-letter/v1').describe('The kind and version of the document.'),
  id: z.string().min(1).describe('The id of the letter. The id follows from `source` and `origin`.'),
  source: z.enum(LETTER_SOURCES).describe('The stream or queue of the request or job. A replay returns it there.'),
  origin: z.string().min(1).describe('The id at the source: of the entry of the stream, or of the job.'),
  code: z.string().min(1).describe('The kind of failure. docs/failures.md lists the codes.'),
  message: z.string().describe('The failure in words.'),
  path: z.string().optional().describe('The path of the fault, where the failure has a place.'),
  faults: listOf(
    z.strictObject({
      path: z.string().describe('The path in the document.'),
      message: z.string().describe('The fault in words.'),
    }),
  )
    .optional()
    .describe('All faults of a document with their paths.'),
  model: z.string().optional().describe('The model of the request. Omitted: unknown.'),
  policy: z
    .string()
    .optional()
    .describe('The policy of the request: a reference, a name or a digest. Omitted: none, or unknown.'),
  attempts: z.int().min(0).describe('The number of attempts.'),
  at: z.iso.datetime().describe('The time of the failure.'),
  body: z.string().nullable().describe('The received request. Null: no body.'),
  isCut: z.boolean().describe('Whether the body was too long to be kept whole.'),
});

export type Letter = z.output<typeof letterSchema>;

/** An entry that is no valid letter: another program wrote it, or a part of it is lost. It can only be dropped. */
export interface MalformedLetter {
  readonly schema: 'elsewise.malformed-letter/v1';
  readonly id: string;
  /** The time of writing, if known. */
  readonly at: string | null;
  /** The fault of the entry. */
  readonly fault: string;
  /** The stored text, unchanged. */
  readonly text: string;
}

export type LetterEntry = Letter | MalformedLetter;

export const isMalformed = (entry: LetterEntry): entry is MalformedLetter => 'fault' in entry;

export type NewLetter = Omit<Letter, 'schema' | 'id' | 'at' | 'isCut' | 'body' | 'faults'> & {
  readonly body: Buffer | null;
  readonly faults?: readonly PlacedFault[];
};

const MAX_MESSAGE = 2_000;
const MAX_NAME = 200;
const PAGE = 500;

/** The id follows from the source of the letter. */
export function letterId(source: Letter['source'], origin: string): string {
  return `${source}-${origin}`;
}

export class DeadStore {
  readonly groups: LetterGroups;
  readonly #redis: RedisClient;
  readonly #keys: Keys;
  readonly #limits: Config['deadLetters'];

  constructor(redis: RedisClient, keys: Keys, limits: Config['deadLetters']) {
    this.#redis = redis;
    this.#keys = keys;
    this.#limits = limits;
    this.groups = new LetterGroups(redis, keys);
  }

  async add({
    source,
    origin,
    code,
    message,
    path,
    faults,
    model,
    policy,
    attempts,
    body,
  }: NewLetter): Promise<Letter> {
    const now = Date.now();
    const letter: Letter = {
      schema: 'elsewise.dead-letter/v1',
      id: letterId(source, origin),
      ...{ source, origin, code, message: message.slice(0, MAX_MESSAGE) },
      ...{ path, faults: faults && [...faults] },
      ...(model !== undefined && { model: model.slice(0, MAX_NAME) }),
      ...(policy !== undefined && { policy: policy.slice(0, MAX_NAME) }),
      ...{ attempts, at: new Date(now).toISOString() },
      body: body?.subarray(0, this.#limits.maxBodyBytes).toString() ?? null,
      isCut: body !== null && body.length > this.#limits.maxBodyBytes,
    };
    const kind = { code, model: letter.model ?? null, policy: letter.policy ?? null };
    const group = groupArguments(kind, letter.message);
    await this.#keep(letter.id, now, JSON.stringify(letter), this.#limits.maxGroups, ...group);
    return letter;
  }

  /** The number of letters, after old ones are removed. */
  count(): Promise<number> {
    return this.#keep();
  }

  /** Latest first, in pages, since bodies may be long. */
  async *list(): AsyncGenerator<LetterEntry> {
    await this.#keep();
    const seen = new Set<string>(); // a new letter meanwhile shifts the others by one
    for (let from = 0; ; from += PAGE) {
      const page = await this.#redis.zrevrange(this.#keys.deadTimes(), from, from + PAGE - 1, 'WITHSCORES');
      const ids = page.filter((_, i) => i % 2 === 0);
      if (ids.length === 0) return;
      for (const [i, text] of (await this.#redis.hmget(this.#keys.dead(), ...ids)).entries()) {
        if (text !== null && !seen.has(ids[i])) yield readEntry(ids[i], text, page[2 * i + 1]);
        seen.add(ids[i]);
      }
    }
  }

  async find(id: string): Promise<LetterEntry | undefined> {
    const [text, time] = await Promise.all([this.#redis.hget(this.#keys.dead(), id), this.timeOf(id)]);
    return text === null ? undefined : readEntry(id, text, time);
  }

  async read(id: string): Promise<LetterEntry> {
    const letter = await this.find(id);
    if (!letter) throw new ElsewiseError('not-known', `no dead letter "${id}" is stored (see \`dead list\`)`);
    return letter;
  }

  /** The time of writing; undefined: no such letter. */
  async timeOf(id: string): Promise<string | undefined> {
    return (await this.#redis.zscore(this.#keys.deadTimes(), id)) ?? undefined;
  }

  /** Returns whether the letter existed. With a time, only the letter of that time is dropped. */
  async drop(id: string, time?: string): Promise<boolean> {
    return (
      (await runScript(this.#redis, DROP_LETTER, this.#allKeys, [id, ...(time === undefined ? [] : [time])])) === 1
    );
  }

  /** Letters by id, in this order, without those that are gone. */
  async some(ids: readonly string[]): Promise<LetterEntry[]> {
    if (ids.length === 0) return [];
    const texts = await this.#redis.hmget(this.#keys.dead(), ...ids);
    return texts.flatMap((text, i) => (text === null ? [] : [readEntry(ids[i], text, undefined)]));
  }

  /** A page of a group, newest first, from the letters before `before` on. `next`: the place of the next page. */
  async page(group: string, count: number, before?: string): Promise<{ letters: LetterEntry[]; next?: string }> {
    const places = await this.groups.newest(group, count + 1, before);
    const shown = places.slice(0, count);
    const letters = await this.some(shown.map(letterAt));
    return { letters, ...(places.length > count && { next: shown.at(-1) }) };
  }

  get #allKeys(): string[] {
    const keys = this.#keys;
    return [keys.dead(), keys.deadTimes(), keys.deadGroupOf(), keys.deadIndex(), keys.deadGroups()];
  }

  async #keep(...added: (string | number)[]): Promise<number> {
    const { maxCount, maxAgeSeconds } = this.#limits;
    const earliest = Date.now() - 1000 * maxAgeSeconds;
    return (await runScript(this.#redis, KEEP_LETTERS, this.#allKeys, [maxCount, earliest, ...added])) as number;
  }
}

/** A malformed entry does not hide the others. */
function readEntry(id: string, text: string, time: string | undefined): LetterEntry {
  try {
    const letter = parseDocument(letterSchema, JSON.parse(text), 'letter');
    if (letter.id === id) return letter;
    throw new ElsewiseError('damaged', `expected "${id}"`, 'letter.id');
  } catch (error) {
    const fault = error instanceof ElsewiseError ? error.message : 'it is no JSON';
    return { schema: 'elsewise.malformed-letter/v1', id, at: timeText(Number(time)), fault, text };
  }
}

/** The date of any number of milliseconds. Null beyond the range of a Date. */
const timeText = (ms: number): string | null => (Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : null);
