/**
 * Checks the stored entries of a day against its anchor, an entry at a time. The check of a day continues where it ended, when the day has grown
 * meanwhile. Redis remembers the jobs of a day for some days, each with the place of its entry: jobs and entries have to agree one to one. A
 * kept policy has its own digest.
 */
import { digestOf } from '../../documents/digest.js';
import { type AuditEntry, hasRecords, type JobPlace, linesOf, readEntry, recordsIn } from './audit-entry.js';
import type { AuditStore } from './audit-store.js';
import { CLOCK_SKEW_MS, DAY_MS, type DayAnchor, JOB_DAYS } from './chain-days.js';
import type { ChainLinks } from './chain-links.js';

/** A check under way: the day of the last entry, and the number of entries and records so far. */
export interface ChainStep {
  readonly day: string;
  readonly entries: number;
  readonly records: number;
}

const JOBS_AT_ONCE = 64;

export class DayReader {
  /** The last day that was read. */
  day = '';
  #entries = 0;
  #records = 0;
  /** Entries with a job. */
  #jobs = 0;
  #unchecked: JobPlace[] = [];
  /** The first job that is not remembered at its place. */
  #forgotten: string | undefined;
  /** Whether the clocks that wrote the day agree with its name. */
  #isOnTime = true;
  #lastMs = 0;

  constructor(
    private readonly audit: AuditStore,
    private readonly links: ChainLinks,
  ) {}

  /** Yields after each entry. Returns the first fault. */
  async *read(anchor: DayAnchor): AsyncGenerator<ChainStep, string | undefined> {
    const { day, entries, stored } = anchor;
    if (stored < 0) return `${day}: the entries of the day are no list`;
    if (day !== this.day) this.#begin(day);
    for await (const bytes of this.audit.entries(day, this.#entries, entries)) {
      this.#entries++;
      const fault = this.#entryFault(bytes);
      if (fault) return fault;
      if (this.#unchecked.length >= JOBS_AT_ONCE) await this.#checkJobs();
      yield { day, entries: this.links.entries, records: this.links.records };
    }
    const fault = this.#endFault(anchor) ?? this.#memoryFault(anchor);
    if (fault) return fault;
    await this.#checkJobs();
    return this.#jobFault(day) ?? (await this.#policyFault(day));
  }

  #begin(day: string): void {
    this.day = day;
    [this.#entries, this.#records, this.#jobs, this.#isOnTime, this.#lastMs] = [0, 0, 0, true, 0];
    [this.#unchecked, this.#forgotten] = [[], undefined];
  }

  #entryFault(bytes: Buffer): string | undefined {
    const at = `entry ${this.#entries} of the day ${this.day}`;
    try {
      const entry = readEntry(bytes);
      const { head, digest } = entry;
      if (head.day !== this.day) return `${at}: is of ${head.day}`;
      this.#records += recordsIn(head);
      this.#noteJob(entry);
      return this.links.add(head, digest, linesOf(entry));
    } catch {
      return `${at}: cannot be read`;
    }
  }

  #noteJob({ head }: AuditEntry): void {
    if (!hasRecords(head)) return;
    this.#jobs++;
    this.#unchecked.push({ job: head.job, place: this.#entries - 1 });
    this.#lastMs = Date.parse(head.time);
    const begin = Date.parse(this.day);
    this.#isOnTime &&= this.#lastMs >= begin - CLOCK_SKEW_MS && this.#lastMs <= begin + DAY_MS + CLOCK_SKEW_MS;
  }

  async #checkJobs(): Promise<void> {
    const jobs = this.#unchecked;
    this.#unchecked = [];
    if (jobs.length && this.#isRemembered()) this.#forgotten ??= await this.audit.forgottenJob(this.day, jobs);
  }

  /** Whether Redis still has to know the last job of the day. */
  #isRemembered(): boolean {
    return this.#isOnTime && this.#leftMs() > CLOCK_SKEW_MS;
  }

  #leftMs(): number {
    return this.#lastMs + JOB_DAYS * DAY_MS - Date.now();
  }

  #endFault({ day, digest, entries, records, stored }: DayAnchor): string | undefined {
    const { head } = this.links;
    if (head !== digest)
      return `entry ${this.#entries} of the day ${day}: has ${head}, and the day ends with ${digest}`;
    if (this.#entries !== entries || this.#records !== records)
      return `${day}: has ${this.#entries} entries with ${this.#records} records, and should have ${entries} with ${records}`;
    if (stored <= entries) return undefined;
    return `${day}: ${stored} entries are stored, and the chain has ${entries}: the others are no part of the chain`;
  }

  async #policyFault(day: string): Promise<string | undefined> {
    for await (const { digest, text } of this.audit.policies(day))
      if (digestOfJson(text) !== digest) return `${day}: the kept policy ${digest} was changed`;
    return undefined;
  }

  #memoryFault({ day, entries, keys: { places, jobs } }: DayAnchor): string | undefined {
    if (places.size < 0 || jobs.size < 0) return `${day}: the jobs of the day have another type`;
    const remembered = places.size + jobs.size;
    // an earlier version remembered redactions as well
    const most = jobs.size > 0 ? entries : this.#jobs;
    if (remembered > most || (this.#isRemembered() && remembered < this.#jobs))
      return `${day}: ${remembered} jobs are remembered, and the day has entries of ${this.#jobs} jobs`;
    const isEarly = [places, jobs].some(({ size, ttlMs }) => size > 0 && !this.#isKept(ttlMs));
    return isEarly ? `${day}: the jobs of the day are remembered for another time than ${JOB_DAYS} days` : undefined;
  }

  #isKept(ttlMs: number): boolean {
    const isLongEnough = !this.#isRemembered() || ttlMs >= this.#leftMs() - CLOCK_SKEW_MS;
    return ttlMs >= 0 && ttlMs <= JOB_DAYS * DAY_MS && isLongEnough;
  }

  #jobFault(day: string): string | undefined {
    const job = this.#forgotten;
    return job === undefined ? undefined : `${day}: the job "${job}" is not remembered at the place of its entry`;
  }
}

function digestOfJson(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? digestOf(value) : undefined;
  } catch {
    return undefined;
  }
}
