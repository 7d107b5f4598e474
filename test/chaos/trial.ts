/**
 * One fault, from the first row to the last: a world with a batch in it, something that goes wrong at a moment that the seed
 * chooses, and what must hold in the end, whatever it was:
 *
 *   results = rows,   none twice,   none different from what `explain` writes
 *
 * `CHAOS_SEED` replays a run; without it the seed is drawn and printed.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { Producer } from '../../dist/jobs/producer.js';
import { Keys } from '../../src/store/keys.js';
import { readRows } from '../integration/example-row.js';
import { POLICY, type RunningWorker, until, World, withoutTimes } from '../integration/queue-world.js';
import { Dice } from '../support/dice.js';

/** `npm run chaos` is long: more rows, and every fault several times. */
export const isLong = process.env.CHAOS === 'long';
export const SEED = Number(process.env.CHAOS_SEED ?? Math.floor(Math.random() * 1e9));
export const ROUNDS = isLong ? Number(process.env.CHAOS_ROUNDS ?? 3) : 1;
/** Copies of the example's 3,000 rows. */
const COPIES = isLong ? 8 : 1;
/** Fewer than a thousand chunks: so many news are kept. */
const CHUNK_ROWS = isLong ? 30 : 20;

type OwnRedis = Parameters<typeof World.withModel>[0];

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

export class Trial {
  readonly rows: string;
  #faultMs = 0;

  private constructor(
    readonly world: World,
    readonly dice: Dice,
    readonly name: string,
    private readonly expected: string,
    rows: string,
  ) {
    this.rows = rows;
  }

  static async begin(name: string, round: number, redis?: OwnRedis): Promise<Trial> {
    const world = await World.withModel(redis);
    const rows = world.writeRows('rows.csv', COPIES);
    const expected = await world.explain(rows);
    return new Trial(world, new Dice(SEED + 7919 * round + name.length), name, expected, rows);
  }

  get rowCount(): number {
    return this.expected.split('\n').length - 1;
  }

  enqueue(batch: string): Promise<string> {
    return this.world.add(this.rows, { batch, chunkRows: CHUNK_ROWS });
  }

  enqueueCommand(batch: string): string[] {
    const rows = ['--input', this.rows, '--chunk-rows', String(CHUNK_ROWS)];
    return ['enqueue', '--model', 'credit', '--policy', POLICY, ...rows, '--batch', batch];
  }

  startWorkers(count: number): Promise<RunningWorker[]> {
    return Promise.all(Array.from({ length: count }, () => this.world.startWorker()));
  }

  async done(id: string): Promise<number> {
    return (await this.world.store.batches.status(id)).done;
  }

  /** Waits for a moment in the middle of the batch. */
  async midway(id: string): Promise<void> {
    const chunks = this.dice.integer(5, 40);
    await until(`${chunks} chunks`, async () => (await this.done(id)) >= chunks);
  }

  /** Marks when something went wrong. */
  async strike(fault: () => unknown): Promise<void> {
    this.#faultMs = Date.now();
    await fault();
  }

  /** Waits for the next chunk after the fault, or after `since`. Says how long that took, by the clock of Redis, which is ours. */
  async recovery(id: string, since = this.#faultMs): Promise<void> {
    let next: number | undefined;
    const isFinished = async () => {
      [next] = await this.#finishedAt(id, since + 1).catch(() => []); // Redis may not be back yet
      return next !== undefined;
    };
    await until('work to go on', isFinished);
    this.say(`works again after ${seconds(next! - since)}`);
  }

  /** When chunks were finished, as their news tell; of a long batch the last thousand or so. */
  async #finishedAt(id: string, since = 0): Promise<number[]> {
    const { redis, settings } = this.world.store;
    const news = await redis.xrange(new Keys(settings.keyPrefix).batchNews(id), String(since), '+');
    return news.map(([entry]) => Number(entry.split('-')[0]));
  }

  /** The end of every trial. */
  async conclude(id: string): Promise<void> {
    const output = this.world.path(`${id}.ndjson`);
    const { code, stderr } = await this.world.run('batch', 'wait', id, '--output', output);
    expect(stderr).toContain(`${this.rowCount.toLocaleString('en')} rows`);
    expect(code).toBe(0);
    this.compare(readFileSync(output, 'utf8'));
    const { counts, done, chunks, failed } = await this.world.store.batches.status(id);
    expect({ done, failed }).toEqual({ done: chunks, failed: 0 });
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(this.rowCount);
    await this.tellPauses(id);
  }

  /** How long nothing was finished, at most: what the fault cost those who wait. */
  async tellPauses(id: string): Promise<void> {
    const times = await this.#finishedAt(id);
    const longest = Math.max(...times.slice(1).map((time, i) => time - times[i]));
    this.say(`longest time without a finished chunk: ${seconds(longest)}`);
  }

  /** The first rows once more, one by one, each again and again while Redis has no room. Gives how often that was. */
  async sendEvents(count: number): Promise<number> {
    const producer = new Producer(this.world.store);
    const policy = JSON.parse(readFileSync(POLICY, 'utf8'));
    let refused = 0;
    for (const { id, features } of readRows(this.rows).slice(0, count)) {
      const isRefused = async () => {
        const sent = producer.enqueueEvent({ id, model: 'credit', policy, features });
        return sent.then(() => false).catch((error) => error.code === 'redis-full' || Promise.reject(error));
      };
      for (; await isRefused(); refused++) await sleep(200);
    }
    return refused;
  }

  /** Each has the answer that `explain` writes, on the stream once. */
  async concludeEvents(count: number): Promise<void> {
    const { redis, settings, dead } = this.world.store;
    const stream = new Keys(settings.keyPrefix).results();
    await until('answers to all events', async () => (await redis.xlen(stream)) >= count);
    const answers = new Map((await redis.xrange(stream, '-', '+')).map(([, [, id, , , , body]]) => [id, body]));
    const wanted = this.expected.split('\n').slice(0, count);
    expect([...readRows(this.rows).slice(0, count)].map(({ id }) => withoutTimes(answers.get(id)!))).toEqual(wanted);
    expect(await redis.xlen(stream)).toBe(count);
    expect(await dead.count()).toBe(0);
  }

  /** Line by line, so that a difference is shown and not two files. */
  compare(results: string): void {
    const [found, wanted] = [withoutTimes(results), this.expected].map((text) => text.trimEnd().split('\n'));
    const different = wanted.findIndex((line, i) => line !== found[i]);
    expect(found[different]).toBe(wanted[different]);
    expect(found.length).toBe(wanted.length);
    const ids = found.map((line) => (JSON.parse(line) as { id: string }).id);
    expect(new Set(ids).size).toBe(ids.length);
  }

  say(text: string): void {
    console.log(`chaos: ${this.name}: ${text}`);
  }

  async end(workers: readonly RunningWorker[]): Promise<void> {
    for (const worker of workers) worker.process.kill('SIGKILL');
    await Promise.all(workers.map((worker) => worker.ended));
    await this.world.close();
  }
}
