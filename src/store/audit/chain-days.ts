/**
 * The days of the chain, as Redis has them at one moment. A day has an anchor: the digest before the day, the digest of its last entry, and its
 * counts. When retention drops the entries of a day, the anchor stays and says when they were dropped, and after how many days: a later
 * change of the setting does not turn a dropped day into a missing day, nor a missing day into a dropped day.
 */
import { z } from 'zod';
import { sha256Schema } from '../../documents/audit-document.js';

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
  /** The number of jobs of the day that are remembered. 0: no longer. Negative: the key is no set. */
  readonly jobs: number;
  readonly isStored: boolean;
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
  /** The first day whose anchor cannot be read. */
  readonly unreadable?: string;
}

/** The reply of READ_CHAIN: digest, number and day of the head; days and anchors in turn; for each asked day its stored entries and jobs. */
export type ChainReply = readonly [head: string[], days: string[], stored: number[], jobs: number[]];

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Whether retention lets a day go at a time. */
export const isExpired = (day: string, ms: number, retentionDays: number): boolean =>
  day < dayOf(ms - retentionDays * DAY_MS);

/** `asked`: the days of the reply, in order. Undefined: a day was added meanwhile. */
export function chainState([head, pairs, stored, jobs]: ChainReply, asked: readonly string[]): ChainState | undefined {
  const texts = new Map(Array.from({ length: pairs.length / 2 }, (_, k) => [pairs[2 * k], pairs[2 * k + 1]]));
  if (texts.size !== asked.length || asked.some((day) => !texts.has(day))) return undefined;
  const [digest, number, day] = head;
  const days: DayAnchor[] = [];
  let unreadable: string | undefined;
  for (const [k, name] of asked.entries()) {
    const anchor = readAnchor(name, texts.get(name)!);
    if (anchor)
      days.push({
        ...anchor,
        day: name,
        stored: stored[k],
        jobs: jobs[k],
        isStored: stored[k] !== 0 && !anchor.dropped,
      });
    else unreadable ??= name;
  }
  return { head: { digest, number: Number(number || 0), day }, days, ...(unreadable !== undefined && { unreadable }) };
}

function readAnchor(day: string, text: string): z.output<typeof anchorSchema> | undefined {
  if (!z.iso.date().safeParse(day).success) return undefined;
  try {
    return anchorSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
