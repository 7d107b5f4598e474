/**
 * The days of the chain, as Redis has them at one moment. A day has an anchor: the digest before the day, the digest of its last entry, and its
 * counts. When retention drops the entries of a day, the anchor stays and says when they were dropped, and after how many days: a later
 * change of the setting does not turn a dropped day into a missing day, nor a missing day into a dropped day.
 */
import { z } from 'zod';
import { sha256Schema } from '../../documents/audit-document.js';

/** A job is delivered again within this many days, or never. */
export const JOB_DAYS = 8;
/** The clocks of the processes of an operator differ by less. */
export const CLOCK_SKEW_MS = 6 * 3_600_000;
export const DAY_MS = 86_400_000;

const count = z.int().min(1);

/** `first` is missing in a day that began under a version without `dropped`. */
const anchorSchema = z.strictObject({
  /** The digest of the last entry before the day; empty for the first day of all. */
  previous: z.union([z.literal(''), sha256Schema]),
  digest: sha256Schema,
  entries: count,
  records: z.int().min(0),
  /** The number of the first entry. */
  first: count.optional(),
  /** Retention dropped the entries at this time, after this number of days. */
  dropped: z.strictObject({ at: z.iso.datetime(), after: count }).optional(),
});

/** A day of the chain. It stays when its entries are dropped. */
export interface DayAnchor extends z.output<typeof anchorSchema> {
  readonly day: string;
  /** The number of stored entries. Negative: the key is no list. */
  readonly stored: number;
  readonly keys: DayKeys;
  readonly isStored: boolean;
}

/** `places`: the places of the entries by job. `jobs`: the jobs that an earlier version remembered. */
export type DayKeys = Readonly<Record<(typeof KEYS_OF_DAY)[number], StoredKey>>;
export const KEYS_OF_DAY = ['entries', 'policies', 'places', 'jobs'] as const;

export interface StoredKey {
  /** 0: there is no key. Negative: the key has another type. */
  readonly size: number;
  /** Negative: the key stays. */
  readonly ttlMs: number;
}

/** The last entry. An empty digest: there is none. */
export interface ChainHead {
  readonly digest: string;
  readonly number: number;
  readonly day: string;
}

export interface ChainState {
  readonly head: ChainHead;
  /** In order. */
  readonly days: readonly DayAnchor[];
  /** The first key or day that cannot be read, in words. */
  readonly unreadable?: string;
}

/** The reply of READ_CHAIN: the pairs of the head; days and anchors in turn; sizes and times to live of the keys of each asked day. */
export type ChainReply = string | readonly [head: string[], days: string[], sizes: number[], times: number[]];

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Whether retention lets a day go at a time. */
export const isExpired = (day: string, ms: number, retentionDays: number): boolean =>
  day < dayOf(ms - retentionDays * DAY_MS);

/** `asked`: the days of the reply, in order. Undefined: a day was added meanwhile. */
export function chainState(reply: ChainReply, asked: readonly string[]): ChainState | undefined {
  if (typeof reply === 'string') return unreadableChain(`the key ${reply} has another type, or a time to live`);
  const [head, texts] = [mapOf(reply[0]), mapOf(reply[1])];
  if (texts.size !== asked.length || asked.some((day) => !texts.has(day))) return undefined;
  const days: DayAnchor[] = [];
  let unreadable = isHead(head) ? undefined : 'the end of the chain cannot be read';
  for (const [k, day] of asked.entries()) {
    const anchor = readAnchor(day, texts.get(day)!);
    const keys = keysOfDay(reply, k);
    const stored = keys.entries.size;
    if (anchor) days.push({ ...anchor, day, stored, keys, isStored: stored !== 0 && !anchor.dropped });
    else unreadable ??= `${day}: the counts and digests of the day cannot be read`;
  }
  return { head: headOf(head), days, ...(unreadable !== undefined && { unreadable }) };
}

export const NO_ENTRY: ChainHead = { digest: '', number: 0, day: '' };

export const unreadableChain = (unreadable: string): ChainState => ({ head: NO_ENTRY, days: [], unreadable });

const mapOf = (pairs: readonly string[]): Map<string, string> =>
  new Map(Array.from({ length: pairs.length / 2 }, (_, k) => [pairs[2 * k], pairs[2 * k + 1]]));

const HEAD_FIELDS = ['digest', 'number', 'day'];

const isHead = (head: ReadonlyMap<string, string>): boolean =>
  head.size === 0 ||
  (head.size === HEAD_FIELDS.length &&
    HEAD_FIELDS.every((field) => head.has(field)) &&
    String(Number(head.get('number'))) === head.get('number'));

const headOf = (head: ReadonlyMap<string, string>): ChainHead => ({
  digest: head.get('digest') ?? '',
  number: Number(head.get('number') ?? 0),
  day: head.get('day') ?? '',
});

function keysOfDay([, , sizes, times]: Exclude<ChainReply, string>, k: number): DayKeys {
  const at = k * KEYS_OF_DAY.length;
  const keys = KEYS_OF_DAY.map((key, j) => [key, { size: sizes[at + j], ttlMs: times[at + j] }]);
  return Object.fromEntries(keys) as DayKeys;
}

/** The text of an anchor has no blanks and no key twice. */
function readAnchor(day: string, text: string): z.output<typeof anchorSchema> | undefined {
  if (!z.iso.date().safeParse(day).success) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? anchorSchema.safeParse(value).data : undefined;
  } catch {
    return undefined;
  }
}
