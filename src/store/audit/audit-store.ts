/**
 * The chain of audit entries in Redis: a list for each day, in which every entry names the digest of the entry before. The chain goes on
 * from day to day. Days beyond the retention are dropped. Their anchors stay: the digest before the day and the digest of its last entry, by
 * which later days still verify.
 *
 * Redis has no SHA-256 for scripts. A process therefore prepares an entry behind the last entry that it knows, and one script appends the
 * entry only if that is still the last. Otherwise the process prepares the entry again. The same script refuses a job that has an
 * entry: a job that is delivered twice has one entry.
 */
import type { AuditHead } from '../../documents/audit-document.js';
import type { Keys } from '../keys.js';
import { oneAtATime } from '../redis/one-at-a-time.js';
import type { RedisClient } from '../redis/redis.js';
import { runScript } from '../redis/scripts.js';
import { writeEntry } from './audit-entry.js';
import type { AuditBlock } from './audit-record.js';
import { APPEND_ENTRY } from './audit-scripts.js';

/** The parts of a head that do not depend on its place in the chain. */
export type AuditDraft = Omit<AuditHead, 'schema' | 'number' | 'day' | 'previous' | 'time' | 'records' | 'content'>;

/** A day of the chain. It stays when its entries are dropped. */
export interface DayAnchor {
  readonly day: string;
  /** The digest of the last entry before the day; empty for the first day of all. */
  readonly previous: string;
  readonly digest: string;
  readonly entries: number;
  readonly records: number;
  /** Whether the entries are stored. */
  readonly isStored: boolean;
}

/** The last entry. An empty digest: there is none. */
export interface ChainHead {
  readonly digest: string;
  readonly number: number;
  readonly day: string;
}

const DAY_MS = 86_400_000;
/** A job is delivered again within this many days, or never. */
const JOB_DAYS = 8;
const PAGE_ENTRIES = 16;

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export class AuditStore {
  readonly #redis: RedisClient;
  readonly #keys: Keys;
  readonly #inTurn = oneAtATime();
  #known: ChainHead = { digest: '', number: 0, day: '' };

  constructor(redis: RedisClient, keys: Keys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  /** Whether the job had no entry before. */
  append(draft: AuditDraft, block: AuditBlock): Promise<boolean> {
    return this.#inTurn(async () => {
      for (;;) {
        const outcome = await this.#tryAppend(draft, block);
        if (outcome !== 'moved') return outcome === 'added';
      }
    });
  }

  async #tryAppend(draft: AuditDraft, block: AuditBlock): Promise<'added' | 'known' | 'moved'> {
    const now = Date.now();
    const last = this.#known;
    // The clock of another process may be ahead: days never go back.
    const day = [dayOf(now), last.day].sort()[1];
    const head = headOf(draft, block, last, day, now);
    const { bytes, digest } = writeEntry(head, block);
    const { number, records } = head;
    const args = [last.digest, draft.job, bytes, digest, number, day, records, JOB_DAYS * (DAY_MS / 1000)];
    const reply = (await runScript(this.#redis, APPEND_ENTRY, this.#scriptKeys(day), args)) as string[];
    const [outcome, ...present] = reply as ['added' | 'known' | 'moved', ...string[]];
    if (outcome === 'added') this.#known = { digest, number, day };
    if (outcome === 'moved') this.#known = { digest: present[0], number: Number(present[1]), day: present[2] };
    return outcome;
  }

  #scriptKeys(day: string): string[] {
    const days = Array.from({ length: JOB_DAYS }, (_, k) => dayOf(Date.parse(day) - k * DAY_MS));
    const keys = this.#keys;
    return [keys.auditHead(), keys.auditDays(), keys.auditEntries(day), ...days.map((one) => keys.auditJobs(one))];
  }

  /** Whether a job of the last days has an entry. */
  async has(job: string): Promise<boolean> {
    const jobs = this.#scriptKeys(dayOf(Date.now())).slice(3);
    const found = await Promise.all(jobs.map((key) => this.#redis.sismember(key, job)));
    return found.includes(1);
  }

  async head(): Promise<ChainHead> {
    const [digest, number, day] = await this.#redis.hmget(this.#keys.auditHead(), 'digest', 'number', 'day');
    return { digest: digest ?? '', number: Number(number ?? 0), day: day ?? '' };
  }

  /** All days of the chain, in order. */
  async days(): Promise<DayAnchor[]> {
    const stored = Object.entries(await this.#redis.hgetall(this.#keys.auditDays())).sort(([a], [b]) =>
      a < b ? -1 : 1,
    );
    const exist = await Promise.all(stored.map(([day]) => this.#redis.exists(this.#keys.auditEntries(day))));
    return stored.map(([day, text], k) => ({
      ...(JSON.parse(text) as Omit<DayAnchor, 'day' | 'isStored'>),
      day,
      isStored: exist[k] === 1,
    }));
  }

  /** The entries of a day as they are stored, in order, from an index on. */
  async *entries(day: string, from = 0): AsyncGenerator<Buffer> {
    for (let at = from; ; at += PAGE_ENTRIES) {
      const page = await this.#redis.lrangeBuffer(this.#keys.auditEntries(day), at, at + PAGE_ENTRIES - 1);
      yield* page;
      if (page.length < PAGE_ENTRIES) return;
    }
  }

  /** Drops the entries of days before the retention. Returns these days. */
  async forgetBefore(retentionDays: number): Promise<string[]> {
    const earliest = dayOf(Date.now() - retentionDays * DAY_MS);
    const old = (await this.days()).filter(({ day, isStored }) => isStored && day < earliest);
    for (const { day } of old) await this.#redis.unlink(this.#keys.auditEntries(day));
    return old.map(({ day }) => day);
  }
}

/** The order of the keys is that of the schema. */
function headOf(draft: AuditDraft, block: AuditBlock, last: ChainHead, day: string, now: number): AuditHead {
  return {
    schema: 'elsewise.audit/v1',
    number: last.number + 1,
    day,
    previous: last.digest || null,
    time: new Date(now).toISOString(),
    ...draft,
    records: block.records,
    content: block.content,
  };
}
