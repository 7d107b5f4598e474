/**
 * The chain of audit entries in Redis: a list for each day, in which every entry names the digest of the entry before. The chain goes on
 * from day to day. Days beyond the retention are dropped. Their anchors stay (chain-days.ts), and later days still verify.
 *
 * Redis has no SHA-256 for scripts. A process therefore prepares an entry behind the last entry that it knows, and one script appends the
 * entry only if that is still the last. Otherwise the process prepares the entry again. The same script refuses a job that has an
 * entry: a job that is delivered twice has one entry. The memory of jobs says at which place the entry of a job is, and the script looks
 * there.
 *
 * A policy that no registry has, such as the policy with a person's wishes, is kept as long as the entries of its day: without the policy
 * nobody can solve the row of a record again.
 */
import type { AuditHead, AuditRedactionHead, ChainEntryHead } from '../../documents/audit-document.js';
import { ElsewiseError } from '../../documents/error.js';
import type { Keys } from '../keys.js';
import { oneAtATime } from '../redis/one-at-a-time.js';
import type { RedisClient } from '../redis/redis.js';
import { isRedisFull } from '../redis/redis-trouble.js';
import { runScript } from '../redis/scripts.js';
import { type JobPlace, recordsIn, writeEntry } from './audit-entry.js';
import type { AuditBlock } from './audit-record.js';
import {
  APPEND_ENTRY,
  DROP_DAY,
  DROP_DAY_WHEN_FULL,
  DROP_POLICIES,
  FIND_JOB,
  READ_CHAIN,
  REPLACE_ENTRY,
} from './audit-scripts.js';
import {
  type ChainHead,
  type ChainReply,
  type ChainState,
  CLOCK_SKEW_MS,
  chainState,
  DAY_MS,
  dayOf,
  isExpired,
  JOB_DAYS,
  KEYS_OF_DAY,
  NO_ENTRY,
  unreadableChain,
} from './chain-days.js';
import { EarlierJobs } from './earlier-jobs.js';

/** The parts of a head that do not depend on its place in the chain. */
export type AuditDraft = Omit<AuditHead, 'schema' | 'number' | 'day' | 'previous' | 'time' | 'records' | 'content'>;

export type RedactionDraft = Pick<AuditRedactionHead, 'software' | 'by' | 'subject' | 'redacted'>;

/** An entry of which everything but its place is known. */
interface NewEntry {
  /** Empty: the entry is of no job. */
  readonly job: string;
  readonly data: Uint8Array;
  readonly policy?: AuditedPolicy;
  head(place: PlaceInChain): ChainEntryHead;
}

type PlaceInChain = Pick<AuditHead, 'number' | 'day' | 'previous' | 'time'>;

/** A policy document as JSON. */
export interface AuditedPolicy {
  readonly digest: string;
  readonly text: string;
}

const PAGE_ENTRIES = 16;
const JOBS_AT_ONCE = 10_000;

export class AuditStore {
  readonly #redis: RedisClient;
  readonly #keys: Keys;
  readonly #inTurn = oneAtATime();
  readonly #earlier: EarlierJobs;
  #known: ChainHead = NO_ENTRY;

  constructor(redis: RedisClient, keys: Keys) {
    this.#redis = redis;
    this.#keys = keys;
    this.#earlier = new EarlierJobs(redis, keys, (day) => this.entries(day));
  }

  /** Whether the job had no entry before. `policy`: kept with the day of the entry. */
  async append(draft: AuditDraft, block: AuditBlock, policy?: AuditedPolicy): Promise<boolean> {
    const { records, content, data } = block;
    // The order of the keys is that of the schema.
    const head = (place: PlaceInChain): AuditHead => ({
      ...{ schema: 'elsewise.audit/v1', ...place, ...draft, records, content },
    });
    return (await this.#append({ job: draft.job, data, head, policy })) !== undefined;
  }

  /** Returns the digest of the entry. */
  async appendRedaction(draft: RedactionDraft): Promise<string> {
    const head = (place: PlaceInChain): AuditRedactionHead => ({
      ...{ schema: 'elsewise.audit-redaction/v1', ...place, ...draft },
    });
    const digest = await this.#append({ job: '', data: new Uint8Array(), head });
    return digest!; // no job is known
  }

  /** The digest of the entry. Undefined: the job had an entry before. */
  #append(entry: NewEntry): Promise<string | undefined> {
    return this.#inTurn(async () => {
      await this.#earlier.adopt();
      for (;;) {
        const outcome = await this.#tryAppend(entry);
        if (outcome !== 'moved') return outcome === 'added' ? this.#known.digest : undefined;
      }
    });
  }

  async #tryAppend(entry: NewEntry): Promise<'added' | 'known' | 'moved'> {
    const now = Date.now();
    const last = this.#known;
    // The clock of another process may be ahead: days never go back.
    const day = [dayOf(now), last.day].sort()[1];
    const number = last.number + 1;
    const head = entry.head({ number, day, previous: last.digest || null, time: new Date(now).toISOString() });
    const { bytes, digest } = writeEntry(head, entry);
    const remembered = JOB_DAYS * (DAY_MS / 1000);
    const { digest: policy = '', text = '' } = entry.policy ?? {};
    const days = daysUntil(day);
    const args = [last.digest, entry.job, bytes, digest, number, recordsIn(head), remembered, policy, text, ...days];
    const keys = [this.#keys.auditHead(), this.#keys.auditDays(), this.#keys.auditPolicies(day)];
    const reply = await runScript(this.#redis, APPEND_ENTRY, [...keys, ...this.#memoryKeys(days)], args);
    const [outcome, ...present] = reply as ['added' | 'known' | 'moved' | 'damaged', ...string[]];
    if (outcome === 'damaged') throw damagedChain(`the key ${present[0]} has another type or content`);
    if (outcome === 'added') this.#known = { digest, number, day };
    if (outcome === 'moved') this.#known = { digest: present[0], number: Number(present[1]), day: present[2] };
    return outcome;
  }

  /** The document of a policy that was kept with the entries of a day, as JSON. */
  async policyOf(day: string, digest: string): Promise<string | undefined> {
    return (await this.#redis.hget(this.#keys.auditPolicies(day), digest)) ?? undefined;
  }

  /** The policies that are kept with a day. */
  async *policies(day: string): AsyncGenerator<AuditedPolicy> {
    for (let cursor = '0'; ; ) {
      const [next, found] = await this.#redis.hscan(this.#keys.auditPolicies(day), cursor);
      for (let k = 0; k < found.length; k += 2) yield { digest: found[k], text: found[k + 1] };
      cursor = next;
      if (cursor === '0') return;
    }
  }

  /** The digests of the policies that are kept with a day. */
  keptPolicies(day: string): Promise<string[]> {
    return this.#redis.hkeys(this.#keys.auditPolicies(day));
  }

  /** Drops kept policies if the day has exactly these entries. Returns their number; undefined: entries were added. */
  async dropPolicies(day: string, entries: number, digests: readonly string[]): Promise<number | undefined> {
    const keys = [this.#keys.auditEntries(day), this.#keys.auditPolicies(day)];
    const dropped = (await runScript(this.#redis, DROP_POLICIES, keys, [entries, ...digests])) as number;
    return dropped < 0 ? undefined : dropped;
  }

  /** An entry by its day and its place in the day, from 0. */
  async entryAt(day: string, at: number): Promise<Buffer | undefined> {
    return (await this.#redis.lindexBuffer(this.#keys.auditEntries(day), at)) ?? undefined;
  }

  /** Replaces the stored bytes of an entry if they are still those before. */
  async replaceEntry(day: string, at: number, before: Buffer, after: Buffer): Promise<boolean> {
    const keys = [this.#keys.auditEntries(day)];
    return (await runScript(this.#redis, REPLACE_ENTRY, keys, [at, before, after])) === 1;
  }

  /** For each day its entries, and the places of these by job. */
  #memoryKeys(days: readonly string[]): string[] {
    return days.flatMap((day) => [this.#keys.auditEntries(day), this.#keys.auditPlaces(day)]);
  }

  /** Whether a job of the last days has an entry. */
  async has(job: string): Promise<boolean> {
    await this.#earlier.adopt();
    const days = daysUntil(dayOf(Date.now()));
    const keys = [this.#keys.auditDays(), ...this.#memoryKeys(days)];
    return (await runScript(this.#redis, FIND_JOB, keys, [job, ...days])) === 1;
  }

  /** The stored entries of the remembered jobs whose name fits a pattern. The oldest day comes first. */
  async *entriesOfJobs(pattern: string): AsyncGenerator<Buffer> {
    for (const day of daysUntil(dayOf(Date.now() + CLOCK_SKEW_MS)).reverse())
      for (const place of await this.#placesOf(day, pattern)) {
        const entry = await this.entryAt(day, place);
        if (entry) yield entry;
      }
  }

  async #placesOf(day: string, pattern: string): Promise<number[]> {
    const key = this.#keys.auditPlaces(day);
    const places: number[] = [];
    for (let cursor = '0'; ; ) {
      const [next, found] = await this.#redis.hscan(key, cursor, 'MATCH', pattern, 'COUNT', JOBS_AT_ONCE);
      for (let k = 1; k < found.length; k += 2) places.push(Number(found[k]));
      cursor = next;
      if (cursor === '0') return places.sort((a, b) => a - b);
    }
  }

  /** The first of these jobs that is not remembered at its place. */
  async forgottenJob(day: string, jobs: readonly JobPlace[]): Promise<string | undefined> {
    const [places, earlier] = [this.#keys.auditPlaces(day), this.#keys.auditJobs(day)];
    const remembered = await this.#redis.hmget(places, ...jobs.map(({ job }) => job));
    for (const [k, { job, place }] of jobs.entries())
      if (remembered[k] !== String(place) && !(remembered[k] === null && (await this.#redis.sismember(earlier, job))))
        return job;
    return undefined;
  }

  /** The first of these days that has keys. */
  async dayWithKeys(days: readonly string[]): Promise<string | undefined> {
    const keysOf = (some: readonly string[]) => some.flatMap((day) => this.#keysOfDay(day));
    if (days.length === 0 || !(await this.#redis.exists(...keysOf(days)))) return undefined;
    for (const day of days) if (await this.#redis.exists(...this.#keysOfDay(day))) return day;
    return undefined;
  }

  /** The keys of a day, in the order of `KEYS_OF_DAY`. */
  #keysOfDay(day: string): string[] {
    const keys = this.#keys;
    const named = {
      entries: keys.auditEntries(day),
      policies: keys.auditPolicies(day),
      places: keys.auditPlaces(day),
      jobs: keys.auditJobs(day),
    };
    return KEYS_OF_DAY.map((key) => named[key]);
  }

  async head(): Promise<ChainHead> {
    const [digest, number, day] = await this.#redis.hmget(this.#keys.auditHead(), 'digest', 'number', 'day');
    return { digest: digest ?? '', number: Number(number ?? 0), day: day ?? '' };
  }

  /** The chain at one moment. */
  async state(): Promise<ChainState> {
    const keys = this.#keys;
    for (;;) {
      const days = await this.#dayNames();
      if (!days) return unreadableChain(`the key ${keys.auditDays()} has another type`);
      const ofDays = days.flatMap((day) => this.#keysOfDay(day));
      const reply = await runScript(this.#redis, READ_CHAIN, [keys.auditHead(), keys.auditDays(), ...ofDays], []);
      const state = chainState(reply as ChainReply, days);
      if (state) return state;
    }
  }

  async #dayNames(): Promise<string[] | undefined> {
    const type = await this.#redis.type(this.#keys.auditDays());
    return type === 'hash' || type === 'none' ? (await this.#redis.hkeys(this.#keys.auditDays())).sort() : undefined;
  }

  /** All days of the chain, in order. Days that cannot be read are left out. */
  async days(): Promise<ChainState['days']> {
    const { days, unreadable } = await this.state();
    if (days.length === 0 && unreadable !== undefined) throw damagedChain(unreadable);
    return days;
  }

  /** The entries of a day as they are stored, in order, from an index up to another, or to the end. */
  async *entries(day: string, from = 0, to = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
    for (let at = from; at < to; at += PAGE_ENTRIES) {
      const last = Math.min(at + PAGE_ENTRIES, to) - 1;
      const page = await this.#redis.lrangeBuffer(this.#keys.auditEntries(day), at, last);
      yield* page;
      if (page.length < PAGE_ENTRIES) return;
    }
  }

  /** Drops the entries of days before the retention. Returns these days. A day that an earlier version dropped gets its mark. */
  async forgetBefore(retentionDays: number): Promise<string[]> {
    const now = Date.now();
    const old = (await this.days()).filter(({ day, dropped }) => !dropped && isExpired(day, now, retentionDays));
    for (const { day } of old) await this.#drop(day, [day, new Date(now).toISOString(), retentionDays]);
    return old.map(({ day }) => day);
  }

  async #drop(day: string, args: readonly (string | number)[]): Promise<void> {
    const keys = [this.#keys.auditDays(), ...this.#keysOfDay(day)];
    try {
      await runScript(this.#redis, DROP_DAY, keys, args);
    } catch (error) {
      if (!isRedisFull(error)) throw error;
      await runScript(this.#redis, DROP_DAY_WHEN_FULL, keys, args);
    }
  }
}

/** A day and the days before for which jobs are remembered, latest first. */
const daysUntil = (day: string): string[] =>
  Array.from({ length: JOB_DAYS }, (_, k) => dayOf(Date.parse(day) - k * DAY_MS));

const damagedChain = (message: string): ElsewiseError =>
  new ElsewiseError('damaged', `${message}: run \`elsewise audit verify\``, 'audit');
