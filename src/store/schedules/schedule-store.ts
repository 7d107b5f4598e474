/**
 * Schedules and their records. BullMQ decides when a schedule runs (jobs/schedules/schedule.ts). The store keeps the schedule, its
 * last runs, and the batch of each content of each file. A file belongs to the first run that claims the file: runs that overlap
 * or are delivered twice make one batch. A run may outlive its schedule. Records of a run are therefore written only while the
 * schedule exists.
 */
import type { Config } from '../../config.js';
import { canonicalJson } from '../../documents/digest.js';
import { ElsewiseError } from '../../documents/error.js';
import { didYouMean } from '../../documents/nearest-name.js';
import { parseDocument } from '../../documents/parse.js';
import type { Keys } from '../keys.js';
import type { RedisClient } from '../redis/redis.js';
import { CLAIM_FILE, runScript, SETTLE_FILE, WRITE_WHILE_THERE } from '../redis/scripts.js';
import {
  type Delivery,
  deliverySchema,
  type FileClaim,
  fileClaimSchema,
  runSchema,
  type Schedule,
  type ScheduleRun,
  scheduleSchema,
} from './schedule-document.js';

const DAY_MS = 86_400_000;
/** A script takes a few thousand arguments. */
const SEEN_AT_A_TIME = 1_000;

export class ScheduleStore {
  readonly #redis: RedisClient;
  readonly #keys: Keys;
  readonly #retention: Config['schedule'];

  constructor(redis: RedisClient, keys: Keys, retention: Config['schedule']) {
    this.#redis = redis;
    this.#keys = keys;
    this.#retention = retention;
  }

  /** The same schedule again changes nothing. Another schedule under an existing name is refused. */
  async create(schedule: Schedule): Promise<void> {
    const { name } = schedule;
    const isFirst = await this.#redis.set(this.#keys.schedule(name), JSON.stringify(schedule), 'NX');
    await this.#redis.sadd(this.#keys.scheduleNames(), name);
    if (isFirst) return;
    const first = await this.read(name);
    if (canonicalJson({ ...first, created: '' }) === canonicalJson({ ...schedule, created: '' })) return;
    const advice = 'give --replace to change it, or choose another name';
    throw new ElsewiseError('conflict', `schedule "${name}" exists with other content: ${advice}`);
  }

  /** Writes the schedule, new or not. */
  async put(schedule: Schedule): Promise<void> {
    await this.#redis.set(this.#keys.schedule(schedule.name), JSON.stringify(schedule));
    await this.#redis.sadd(this.#keys.scheduleNames(), schedule.name);
  }

  /** A schedule that was removed meanwhile does not come back. */
  async change(name: string, changes: Partial<Schedule>): Promise<Schedule> {
    const changed = { ...(await this.read(name)), ...changes };
    const isThere = await this.#redis.set(this.#keys.schedule(name), JSON.stringify(changed), 'XX');
    return isThere ? changed : this.read(name);
  }

  async find(name: string): Promise<Schedule | undefined> {
    const text = await this.#redis.get(this.#keys.schedule(name));
    return text === null ? undefined : parseDocument(scheduleSchema, JSON.parse(text), 'schedule');
  }

  async read(name: string): Promise<Schedule> {
    const found = await this.find(name);
    if (found) return found;
    const names = await this.#redis.smembers(this.#keys.scheduleNames());
    throw new ElsewiseError('not-known', `no schedule "${name}" is stored${didYouMean(name, names)}`);
  }

  /** By name. */
  async list(): Promise<Schedule[]> {
    const names = (await this.#redis.smembers(this.#keys.scheduleNames())).sort();
    const found = await Promise.all(names.map((name) => this.find(name)));
    return found.filter((schedule) => schedule !== undefined);
  }

  /** Removes all records in one step: a run in progress finds no schedule to write to. */
  async remove(name: string): Promise<void> {
    const keys = this.#keys;
    const memory = [keys.scheduleRuns(name), keys.scheduleFiles(name), keys.scheduleSeen(name)];
    await this.#redis.srem(keys.scheduleNames(), name); // first, or the removal would affect a schedule added under the same name meanwhile
    await this.#redis.del(keys.schedule(name), ...memory, keys.scheduleDeliveries(name));
  }

  /** Writes the record of a run and deletes the oldest records. False: the schedule is gone, and nothing was written. */
  async recordRun(name: string, run: ScheduleRun): Promise<boolean> {
    const key = this.#keys.scheduleRuns(name);
    if (!(await this.#remember(name, key, 'HSET', run.id, JSON.stringify(run)))) return false;
    for (const old of (await this.runs(name)).slice(this.#retention.runsKept)) {
      await this.#redis.hdel(key, old.id);
      const batches = old.files.flatMap(({ batch }) => batch ?? []);
      if (batches.length > 0) await this.#redis.hdel(this.#keys.scheduleDeliveries(name), ...batches);
    }
    return true;
  }

  async run(name: string, id: string): Promise<ScheduleRun | undefined> {
    const text = await this.#redis.hget(this.#keys.scheduleRuns(name), id);
    return text === null ? undefined : readRun(text);
  }

  /** Newest first. */
  async runs(name: string): Promise<ScheduleRun[]> {
    const stored = await this.#redis.hvals(this.#keys.scheduleRuns(name));
    return stored.map(readRun).sort((a, b) => (a.id < b.id ? 1 : -1));
  }

  /** Returns the valid claim; undefined if the schedule is gone. With `again`, content of a finished run is claimed anew. */
  async claim(name: string, file: string, claim: FileClaim, again: boolean): Promise<FileClaim | undefined> {
    const args = [file, JSON.stringify(claim), claim.digest, claim.run, again ? 1 : 0];
    const keys = [this.#keys.schedule(name), this.#keys.scheduleFiles(name)];
    const holds = await runScript(this.#redis, CLAIM_FILE, keys, args);
    return holds === null ? undefined : parseDocument(fileClaimSchema, JSON.parse(holds as string), 'file');
  }

  /** Fulfils the claim. No effect if the file has been claimed with other content since. */
  async settle(name: string, file: string, claim: FileClaim & { state: 'added' }): Promise<void> {
    const args = [file, claim.batch, JSON.stringify(claim)];
    await runScript(this.#redis, SETTLE_FILE, [this.#keys.scheduleFiles(name)], args);
  }

  /** Gives up the claim: the next run treats the file as new. */
  async release(name: string, file: string, { batch }: FileClaim): Promise<void> {
    await runScript(this.#redis, SETTLE_FILE, [this.#keys.scheduleFiles(name)], [file, batch, '']);
  }

  /** Notes that these files exist, and forgets files that were missing for long. */
  async see(name: string, files: readonly string[], now: number): Promise<void> {
    const seen = this.#keys.scheduleSeen(name);
    for (let i = 0; i < files.length; i += SEEN_AT_A_TIME) {
      const some = files.slice(i, i + SEEN_AT_A_TIME);
      await this.#remember(name, seen, 'ZADD', ...some.flatMap((file) => [now, file]));
    }
    const stale = await this.#redis.zrangebyscore(seen, '-inf', now - this.#retention.rememberDays * DAY_MS);
    if (stale.length === 0) return;
    await this.#redis.hdel(this.#keys.scheduleFiles(name), ...stale);
    await this.#redis.zrem(seen, ...stale);
  }

  async recordDelivery(name: string, batch: string, delivery: Delivery): Promise<void> {
    await this.#remember(name, this.#keys.scheduleDeliveries(name), 'HSET', batch, JSON.stringify(delivery));
  }

  /** By batch. */
  async deliveries(name: string): Promise<Map<string, Delivery>> {
    const stored = await this.#redis.hgetall(this.#keys.scheduleDeliveries(name));
    return new Map(Object.entries(stored).map(([batch, text]) => [batch, readDelivery(text)]));
  }

  /** Writes a record of a schedule, unless the schedule is gone. */
  async #remember(name: string, key: string, command: string, ...args: (string | number)[]): Promise<boolean> {
    return (
      (await runScript(this.#redis, WRITE_WHILE_THERE, [this.#keys.schedule(name), key], [command, ...args])) === 1
    );
  }
}

const readRun = (text: string): ScheduleRun => parseDocument(runSchema, JSON.parse(text), 'run');

const readDelivery = (text: string): Delivery => parseDocument(deliverySchema, JSON.parse(text), 'delivery');
