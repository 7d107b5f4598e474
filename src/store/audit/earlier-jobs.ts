/**
 * The jobs that earlier versions remembered: a set for each day, without places. A process moves them once into the places of the day, each
 * with the entry that names the job. A job without an entry stays in the set. Nobody believes the set, and verify-day.ts tells.
 */
import type { Keys } from '../keys.js';
import type { RedisClient } from '../redis/redis.js';
import { runScript } from '../redis/scripts.js';
import { hasRecords, type JobPlace, readEntry } from './audit-entry.js';
import { ADOPT_JOBS } from './audit-scripts.js';
import { DAY_MS, dayOf, JOB_DAYS } from './chain-days.js';

const PAGE_JOBS = 500;

export class EarlierJobs {
  readonly #redis: RedisClient;
  readonly #keys: Keys;
  readonly #entriesOf: (day: string) => AsyncIterable<Buffer>;
  #isAdopted = false;

  constructor(redis: RedisClient, keys: Keys, entriesOf: (day: string) => AsyncIterable<Buffer>) {
    this.#redis = redis;
    this.#keys = keys;
    this.#entriesOf = entriesOf;
  }

  async adopt(): Promise<void> {
    if (this.#isAdopted) return;
    // the clock of an earlier process may be ahead
    for (let k = -1; k <= JOB_DAYS; k++) await this.#adoptDay(dayOf(Date.now() - k * DAY_MS));
    this.#isAdopted = true;
  }

  async #adoptDay(day: string): Promise<void> {
    if ((await this.#redis.type(this.#keys.auditJobs(day))) !== 'set') return;
    if ((await this.#redis.type(this.#keys.auditEntries(day))) !== 'list') return;
    let page: JobPlace[] = [];
    let place = 0;
    for await (const bytes of this.#entriesOf(day)) {
      const job = jobOf(bytes);
      if (job !== undefined) page.push({ job, place });
      place++;
      if (page.length < PAGE_JOBS) continue;
      await this.#move(day, page);
      page = [];
    }
    await this.#move(day, page);
  }

  async #move(day: string, page: readonly JobPlace[]): Promise<void> {
    const keys = [this.#keys.auditJobs(day), this.#keys.auditPlaces(day)];
    if (page.length)
      await runScript(
        this.#redis,
        ADOPT_JOBS,
        keys,
        page.flatMap(({ job, place }) => [job, place]),
      );
  }
}

/** Undefined: the entry is of no job, or cannot be read. */
function jobOf(bytes: Buffer): string | undefined {
  try {
    const { head } = readEntry(bytes);
    return hasRecords(head) ? head.job : undefined;
  } catch {
    return undefined;
  }
}
