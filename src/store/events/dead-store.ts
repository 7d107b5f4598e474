/**
 * Dead letters: requests and jobs that were given up, each with the reason, until an operator replays or drops them. The store is
 * bounded by count and age. The id follows from the source of the letter: recording the same failure twice leaves one letter.
 */
import { z } from 'zod';
import type { Config } from '../../config.js';
import { ElsewiseError } from '../../documents/error.js';
import { parseDocument } from '../../documents/parse.js';
import type { Keys } from '../keys.js';
import type { RedisClient } from '../redis/redis.js';
import { DROP_LETTER, KEEP_LETTERS, runScript } from '../redis/scripts.js';

/** Where a letter came from, and where a replay puts it back; only jobs of schedules are not replayed. */
export const LETTER_SOURCES = ['requests', 'events', 'bulk', 'schedule'] as const;

export const letterSchema = z.strictObject({
  schema: z.literal('elsewise.dead-letter/v1'),
  id: z.string().min(1),
  source: z.enum(LETTER_SOURCES),
  /** Its name there: the id of the stream's entry or of the job. */
  origin: z.string().min(1),
  /** See docs/failures.md. */
  code: z.string().min(1),
  message: z.string(),
  /** How often it was tried. */
  attempts: z.int().min(0),
  at: z.iso.datetime(),
  /** The request as received; null: there was no body. */
  body: z.string().nullable(),
  /** Whether the body was too long to be kept whole. */
  isCut: z.boolean(),
});

export type Letter = z.output<typeof letterSchema>;

/** An entry among the letters that is none: another program wrote it, or a part of it is lost. It can only be dropped. */
export interface MalformedLetter {
  readonly schema: 'elsewise.malformed-letter/v1';
  readonly id: string;
  /** When it was written, as far as that is known. */
  readonly at: string | null;
  /** The fault of the entry. */
  readonly fault: string;
  /** The stored text, unchanged. */
  readonly text: string;
}

export type LetterEntry = Letter | MalformedLetter;

export const isMalformed = (entry: LetterEntry): entry is MalformedLetter => 'fault' in entry;

export type NewLetter = Omit<Letter, 'schema' | 'id' | 'at' | 'isCut' | 'body'> & { readonly body: Buffer | null };

const MAX_MESSAGE = 2_000;
const PAGE = 500;

/** Follows from where the letter came from. */
export function letterId(source: Letter['source'], origin: string): string {
  return `${source}-${origin}`;
}

export class DeadStore {
  readonly #redis: RedisClient;
  readonly #keys: Keys;
  readonly #limits: Config['deadLetters'];

  constructor(redis: RedisClient, keys: Keys, limits: Config['deadLetters']) {
    this.#redis = redis;
    this.#keys = keys;
    this.#limits = limits;
  }

  async add({ source, origin, code, message, attempts, body }: NewLetter): Promise<Letter> {
    const now = Date.now();
    const letter: Letter = {
      schema: 'elsewise.dead-letter/v1',
      id: letterId(source, origin),
      ...{ source, origin, code, message: message.slice(0, MAX_MESSAGE), attempts, at: new Date(now).toISOString() },
      body: body?.subarray(0, this.#limits.maxBodyBytes).toString() ?? null,
      isCut: body !== null && body.length > this.#limits.maxBodyBytes,
    };
    await this.#keep(letter.id, now, JSON.stringify(letter));
    return letter;
  }

  /** How many there are, after those that are too old have gone. */
  count(): Promise<number> {
    return this.#keep();
  }

  /** Latest first; in pages, since bodies may be long. */
  async *list(): AsyncGenerator<LetterEntry> {
    await this.#keep();
    const seen = new Set<string>(); // a letter that arrives meanwhile moves the others one place down
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

  /** When it was written; undefined when there is none. */
  async timeOf(id: string): Promise<string | undefined> {
    return (await this.#redis.zscore(this.#keys.deadTimes(), id)) ?? undefined;
  }

  /** Whether it was there; with a time, only the one that was written then. */
  async drop(id: string, time?: string): Promise<boolean> {
    const keys = [this.#keys.dead(), this.#keys.deadTimes()];
    return (await runScript(this.#redis, DROP_LETTER, keys, [id, ...(time === undefined ? [] : [time])])) === 1;
  }

  async #keep(...added: [] | [id: string, time: number, letter: string]): Promise<number> {
    const { maxCount, maxAgeSeconds } = this.#limits;
    const earliest = Date.now() - 1000 * maxAgeSeconds;
    const keys = [this.#keys.dead(), this.#keys.deadTimes()];
    return (await runScript(this.#redis, KEEP_LETTERS, keys, [maxCount, earliest, ...added])) as number;
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

/** Of milliseconds that may be anything; the bound is the last day that a date can have. */
const timeText = (ms: number): string | null => (Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : null);
