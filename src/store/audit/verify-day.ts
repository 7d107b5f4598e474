/**
 * Checks the stored entries of a day against its anchor, an entry at a time. The check of a day continues where it ended, when the day has grown
 * meanwhile. Redis remembers the jobs of a day for some days, and each entry has a job: a job without an entry would keep its answers out
 * of the record. A kept policy has its own digest.
 */
import { digestOf } from '../../documents/digest.js';
import { linesOf, readEntry, recordsIn } from './audit-entry.js';
import { type AuditStore, JOB_DAYS } from './audit-store.js';
import { CLOCK_SKEW_MS, DAY_MS, type DayAnchor } from './chain-days.js';
import type { ChainLinks } from './chain-links.js';

/** A check under way: the day of the last entry, and the number of entries and records so far. */
export interface ChainStep {
  readonly day: string;
  readonly entries: number;
  readonly records: number;
}

export class DayReader {
  /** The last day that was read. */
  day = '';
  #entries = 0;
  #records = 0;
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
      yield { day, entries: this.links.entries, records: this.links.records };
    }
    return this.#endFault(anchor) ?? this.#jobsFault(anchor) ?? (await this.#policyFault(day));
  }

  #begin(day: string): void {
    this.day = day;
    [this.#entries, this.#records, this.#isOnTime, this.#lastMs] = [0, 0, true, 0];
  }

  #entryFault(bytes: Buffer): string | undefined {
    const at = `entry ${this.#entries} of the day ${this.day}`;
    try {
      const entry = readEntry(bytes);
      const { head, digest } = entry;
      if (head.day !== this.day) return `${at}: is of ${head.day}`;
      this.#records += recordsIn(head);
      this.#lastMs = Date.parse(head.time);
      const begin = Date.parse(this.day);
      this.#isOnTime &&= this.#lastMs >= begin - CLOCK_SKEW_MS && this.#lastMs <= begin + DAY_MS + CLOCK_SKEW_MS;
      return this.links.add(head, digest, linesOf(entry));
    } catch {
      return `${at}: cannot be read`;
    }
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

  #jobsFault({ day, entries, jobs }: DayAnchor): string | undefined {
    const isRemembered = this.#isOnTime && this.#lastMs + JOB_DAYS * DAY_MS > Date.now() + CLOCK_SKEW_MS;
    const isGood = jobs === entries || (!isRemembered && jobs >= 0 && jobs < entries);
    return isGood ? undefined : `${day}: ${jobs} jobs are remembered, and the day has ${entries} entries`;
  }
}

function digestOfJson(text: string): string | undefined {
  try {
    return digestOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}
