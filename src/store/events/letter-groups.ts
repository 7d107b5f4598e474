/** The groups of dead letters: letters with the same code, model and policy. letter-scripts.ts keeps the index that this file reads. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../documents/digest.js';
import type { Keys } from '../keys.js';
import type { RedisClient } from '../redis/redis.js';

/** The common facts of the letters of a group. */
export interface LetterKind {
  readonly code: string;
  /** As the request named it; null: unknown, or a rare group that counts to the rest of its code. */
  readonly model: string | null;
  readonly policy: string | null;
}

interface StoredGroup extends LetterKind {
  /** The message of the latest letter. */
  readonly message: string;
}

export interface LetterGroup extends StoredGroup {
  readonly id: string;
  readonly count: number;
  /** Times of the first and the last letter. */
  readonly first: string;
  readonly last: string;
}

export interface LetterGroupList {
  /** The largest groups first. */
  readonly groups: readonly LetterGroup[];
  /** The number of all groups. */
  readonly groupCount: number;
  /** All entries, and those that are no letters and belong to no group. */
  readonly letters: number;
  readonly ungrouped: number;
}

/** A part of a group, oldest letter first. */
export interface GroupRange {
  readonly group: string;
  /** Letters after this place only: `<time>:<id>`. */
  readonly after?: string;
  /** Letters up to this time in ms only. */
  readonly untilMs?: number;
}

const MAX_EXAMPLE = 300;

/** Sixteen hexadecimal digits. */
export function groupIdOf({ code, model, policy }: LetterKind): string {
  return createHash('sha256').update(canonicalJson({ code, model, policy })).digest('hex').slice(0, 16);
}

/** The arguments of a script: the group and its JSON, then the group that takes letters when there are too many groups. */
export function groupArguments(kind: LetterKind, message: string): string[] {
  const rest: LetterKind = { code: kind.code, model: null, policy: null };
  const stored = (one: LetterKind) => JSON.stringify({ ...one, message: message.slice(0, MAX_EXAMPLE) });
  return [groupIdOf(kind), stored(kind), groupIdOf(rest), stored(rest)];
}

const timeText = (ms: number): string => String(ms).padStart(15, '0');
const dateOf = (place: string): string => new Date(Number(place.split(':', 1)[0])).toISOString();
const idOf = (place: string): string => place.slice(place.indexOf(':') + 1);

export class LetterGroups {
  readonly #redis: RedisClient;
  readonly #keys: Keys;

  constructor(redis: RedisClient, keys: Keys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /** Three short commands for each group, in one round trip. */
  async list(most: number): Promise<LetterGroupList> {
    const [stored, letters, grouped] = await Promise.all([
      this.#redis.hgetall(this.#keys.deadGroups()),
      this.#redis.zcard(this.#keys.deadTimes()),
      this.#redis.hlen(this.#keys.deadGroupOf()),
    ]);
    const found = await Promise.all(Object.entries(stored).map(([id, text]) => this.#describe(id, text)));
    const groups = found
      .filter((group) => group !== undefined)
      .sort((a, b) => b.count - a.count || (a.id < b.id ? -1 : 1));
    return {
      groups: groups.slice(0, most),
      groupCount: groups.length,
      letters,
      ungrouped: Math.max(0, letters - grouped),
    };
  }

  /** The number of letters of a part of a group. */
  count(range: GroupRange): Promise<number> {
    return this.#redis.zlexcount(this.#keys.deadIndex(), ...boundsOf(range));
  }

  /** Whether some of the letters are in the group. */
  async hasSome(group: string, ids: readonly string[]): Promise<boolean> {
    if (ids.length === 0) return false;
    return (await this.#redis.hmget(this.#keys.deadGroupOf(), ...ids)).includes(group);
  }

  /** Places (`<time>:<id>`) of letters, oldest first. */
  async places(range: GroupRange, count: number): Promise<string[]> {
    const members = await this.#redis.zrangebylex(this.#keys.deadIndex(), ...boundsOf(range), 'LIMIT', 0, count);
    return members.map(placeOf);
  }

  /** Places of letters before `before`, newest first. */
  async newest(group: string, count: number, before?: string): Promise<string[]> {
    const end = before === undefined ? `(${group};` : `(${group}:${before}`;
    const args = [end, `[${group}:`, 'LIMIT', 0, count] as const;
    return (await this.#redis.zrevrangebylex(this.#keys.deadIndex(), ...args)).map(placeOf);
  }

  /** The common facts of a group; undefined: no such group is known. */
  async kind(group: string): Promise<LetterKind | undefined> {
    const text = await this.#redis.hget(this.#keys.deadGroups(), group);
    return text === null ? undefined : (JSON.parse(text) as StoredGroup);
  }

  /** Undefined: the last letter of the group was removed meanwhile. */
  async #describe(id: string, text: string): Promise<LetterGroup | undefined> {
    const [count, [first], [last]] = await Promise.all([
      this.count({ group: id }),
      this.places({ group: id }, 1),
      this.newest(id, 1),
    ]);
    if (first === undefined || last === undefined) return undefined;
    return { id, ...(JSON.parse(text) as StoredGroup), count, first: dateOf(first), last: dateOf(last) };
  }
}

/** The id of the letter at a place. */
export const letterAt = idOf;

const placeOf = (member: string): string => member.slice(member.indexOf(':') + 1);

/** `;` is the character after `:`. */
function boundsOf({ group, after, untilMs }: GroupRange): [string, string] {
  const end = untilMs === undefined ? `(${group};` : `(${group}:${timeText(untilMs)};`;
  return [after === undefined ? `[${group}:` : `(${group}:${after}`, end];
}
