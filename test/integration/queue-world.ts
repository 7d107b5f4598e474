/**
 * What the queue's tests run in: the real Redis of the test command (or one of their own), the built command line, worker
 * processes. Every world has its own key prefixes, so that none sees another's jobs, and takes its keys with it.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Cluster } from 'ioredis';
import { followResults } from '../../dist/jobs/batches/batch.js';
import { Producer } from '../../dist/jobs/producer.js';
import { openSource } from '../../dist/jobs/rows/streams.js';
import { isMalformed, type Letter } from '../../dist/store/events/dead-store.js';
import { connectForWorker } from '../../dist/store/redis/redis.js';
import { storeSettings } from '../../dist/store/settings.js';
import { type Store, storeOver } from '../../dist/store/store.js';
import { provideRedis } from '../../scripts/redis.mjs';
import { callHere } from './cli-process.js';

type QueueWorker = import('../../dist/jobs/worker/worker.js').QueueWorker;
type WorkerOptions = import('../../dist/jobs/worker/worker.js').WorkerOptions;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAM = join(ROOT, 'dist', 'cli', 'main.js');
const CREDIT = join(ROOT, 'examples', 'credit');

export const MODEL = join(CREDIT, 'model.json');
export const POLICY = join(CREDIT, 'policy-simple.json');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningWorker {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Where its probes are. */
  readonly address: string;
  /** GET on it. */
  get(path: string): Promise<{ status: number; text: string }>;
  /** Rows that this worker has answered, from its metrics. */
  rows(): Promise<number>;
}

/** What a batch is asked to be; left out: as `enqueue` without options. */
export interface BatchWish {
  readonly batch?: string;
  readonly chunkRows?: number;
}

/** What `explain` wrote in this file's tests, by the rows: all worlds have the same model. */
const explained = new Map<string, Promise<string>>();

/** A server that a test has for itself. */
export interface GivenRedis {
  readonly url: string;
  /** Further settings, such as certificates, as variables. */
  readonly env?: NodeJS.ProcessEnv;
  stop(): Promise<void>;
}

export class World {
  readonly store: Store;
  readonly directory = mkdtempSync(join(tmpdir(), 'elsewise-queue-'));
  readonly #env: NodeJS.ProcessEnv;
  readonly #stopRedis: () => Promise<void>;
  readonly #children = new Set<ChildProcess>();
  readonly #workers = new Set<QueueWorker>();

  private constructor({ url, env, stop }: GivenRedis) {
    const prefix = `test-${randomBytes(4).toString('hex')}`;
    this.#env = { REDIS_URL: url, ELSEWISE_PREFIX: prefix, ELSEWISE_QUEUE_PREFIX: `${prefix}-queue`, ...env };
    this.#stopRedis = stop;
    const settings = storeSettings({}, this.#env);
    this.store = storeOver(
      connectForWorker(settings, true, () => {}),
      settings,
    );
  }

  static async create(redis?: GivenRedis): Promise<World> {
    return new World(redis ?? (await provideRedis()));
  }

  /** With the model of the examples in the registry. */
  static async withModel(redis?: GivenRedis): Promise<World> {
    const world = await World.create(redis);
    await world.store.models.push(JSON.parse(readFileSync(MODEL, 'utf8')));
    return world;
  }

  async close(): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL');
    await Promise.all([...this.#workers].map((worker) => worker.drain()));
    if (this.store.redis.status === 'ready') await this.#removeKeys();
    this.store.redis.disconnect();
    rmSync(this.directory, { recursive: true, force: true });
    await this.#stopRedis();
  }

  /** A dead letter that can be read. */
  async letter(id: string): Promise<Letter> {
    const letter = await this.store.dead.read(id);
    if (isMalformed(letter)) throw new Error(letter.fault);
    return letter;
  }

  /** How many keys the world has; others may share its Redis. */
  async countKeys(): Promise<number> {
    let count = 0;
    for await (const keys of this.#ownKeys()) count += keys.length;
    return count;
  }

  async #removeKeys(): Promise<void> {
    for await (const keys of this.#ownKeys()) if (keys.length > 0) await this.store.redis.unlink(...keys);
  }

  /** Ours and BullMQ's: both prefixes begin alike. A Cluster is never shared, and goes with its keys. */
  async *#ownKeys(): AsyncGenerator<string[]> {
    const { redis, settings } = this.store;
    if (redis instanceof Cluster) return;
    yield* redis.scanStream({ match: `${settings.keyPrefix}*`, count: 1000 });
  }

  /** What another process needs to see the same keys. */
  get environment(): NodeJS.ProcessEnv {
    return this.#env;
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  /** A CSV file with the rows of the example, as often as asked for and with other ids each time. */
  writeRows(name: string, times: number): string {
    const [header, ...rows] = readFileSync(join(CREDIT, 'applicants.csv'), 'utf8').trimEnd().split('\n');
    const copies = Array.from({ length: times }, (_, i) => rows.map((row) => `${i}-${row}`));
    writeFileSync(this.path(name), `${[header, ...copies.flat()].join('\n')}\n`);
    return this.path(name);
  }

  run(...args: string[]): Promise<Ended> {
    return this.#spawn(args, {}).ended;
  }

  /** A command in the process of the test, one at a time: for what it says and does, where no process is the subject. */
  call(...args: string[]): Promise<Ended> {
    return this.callWith({}, ...args);
  }

  callWith(env: NodeJS.ProcessEnv, ...args: string[]): Promise<Ended> {
    return callHere(args, { ...this.#env, ...env });
  }

  /** A command that a test stops, kills or looks at while it runs. */
  spawn(...args: string[]): { child: ChildProcess; ended: Promise<Ended> } {
    return this.#spawn(args, {});
  }

  spawnWith(env: NodeJS.ProcessEnv, ...args: string[]): { child: ChildProcess; ended: Promise<Ended> } {
    return this.#spawn(args, env);
  }

  runWith(env: NodeJS.ProcessEnv, ...args: string[]): Promise<Ended> {
    return this.#spawn(args, env).ended;
  }

  /** Adds a batch of the example's model with the command and gives its id. */
  async enqueue(input: string, ...options: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(
      ...['enqueue', '--model', 'credit', '--policy', POLICY, '--input', input, ...options],
    );
    if (code !== 0) throw new Error(stderr);
    return stdout.trimEnd().split('\n').at(-1)!;
  }

  /** What the command does, without the start of a process: for tests of what comes after it. */
  async add(input: string, wish: BatchWish = {}): Promise<string> {
    const { bytes: source, name } = await openSource(input);
    const policy = JSON.parse(readFileSync(POLICY, 'utf8'));
    const { id } = await new Producer(this.store).enqueueBatch({ source, name, model: 'credit', policy, ...wish });
    return id;
  }

  /** What `batch wait` writes of it, without times and without the start of a process. */
  async results(id: string): Promise<string> {
    const parts: Buffer[] = [];
    for await (const { bytes } of followResults(this.store, id)) parts.push(bytes);
    return withoutTimes(Buffer.concat(parts).toString());
  }

  /** What `explain` writes for the same rows, without times; asked again of the same rows, it is not run again. */
  explain(input: string): Promise<string> {
    const rows = readFileSync(input, 'utf8');
    const known = explained.get(rows) ?? this.#explain(input);
    explained.set(rows, known);
    return known;
  }

  async #explain(input: string): Promise<string> {
    const output = this.path('explained.ndjson');
    const documents = ['--model', 'credit@1', '--policy', POLICY];
    const { code, stderr } = await this.run(
      ...['explain', ...documents, '--input', input, '--output', output, '--threads', '1', '--quiet'],
    );
    if (code !== 0) throw new Error(stderr);
    return withoutTimes(readFileSync(output, 'utf8'));
  }

  /** A worker in the process of the test, for what is not about processes; it goes with the world. */
  async serve(options: Partial<WorkerOptions>): Promise<QueueWorker> {
    const { QueueWorker } = await import('../../dist/jobs/worker/worker.js');
    const fixed = { settings: this.store.settings, lanes: [], threads: 1, port: 0, notice: () => {} };
    const worker = await QueueWorker.start({ ...fixed, ...options });
    this.#workers.add(worker);
    return worker;
  }

  startWorker(...options: string[]): Promise<RunningWorker> {
    return this.startWorkerWith({}, ...options);
  }

  async startWorkerWith(env: NodeJS.ProcessEnv, ...options: string[]): Promise<RunningWorker> {
    const { child, ended } = this.#spawn(['worker', '--port', '0', '--threads', '1', ...options], env);
    const line = await new Promise<string>((resolve, reject) => {
      child.stdout!.on('data', (text) => resolve(String(text)));
      void ended.then(({ stderr }) => reject(new Error(stderr)));
    });
    const address = /http:\/\/[^/]+/.exec(line)![0];
    const get = async (path: string) => {
      const response = await fetch(address + path);
      return { status: response.status, text: await response.text() };
    };
    const rows = async () => sumOf((await get('/metrics')).text, 'elsewise_rows_total');
    return { process: child, ended, address, get, rows };
  }

  /** The API in a process of its own, open to this machine. */
  async startServer(): Promise<{ pid: number; address: string }> {
    const { child, ended } = this.#spawn(['serve', '--port', '0', '--insecure-no-auth'], {});
    const [line] = await Promise.race([
      once(child.stdout!, 'data'),
      ended.then(({ stderr }) => Promise.reject(new Error(stderr))),
    ]);
    return { pid: child.pid!, address: /^serving on (\S+)/.exec(String(line))![1] };
  }

  #spawn(args: string[], env: NodeJS.ProcessEnv): { child: ChildProcess; ended: Promise<Ended> } {
    const child = spawn(process.execPath, [PROGRAM, ...args], { env: { ...process.env, ...this.#env, ...env } });
    this.#children.add(child);
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (text) => {
      stdout += text;
    });
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    const ended = new Promise<Ended>((resolve) => {
      child.once('close', (code) => {
        this.#children.delete(child);
        resolve({ code, stdout, stderr });
      });
    });
    return { child, ended };
  }
}

export function withoutTimes(ndjson: string): string {
  return ndjson.replaceAll(/"(ms|elapsedMs)":[0-9.e+-]+/g, '"$1":0');
}

/** Over all labels of a metric. */
export function sumOf(metrics: string, name: string): number {
  const lines = metrics.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** A wait that never ends fails by name. The limit says nothing about speed: a busy machine must stay far below it. */
const PATIENCE_MS = 120_000;

/** A wait that has been long asks less often, for others need the cores. */
const [SOON_MS, ASK_SOON_MS, ASK_MS] = [2_000, 10, 40];

export async function until(what: string, isSo: () => Promise<boolean>, timeoutMs = PATIENCE_MS): Promise<void> {
  const since = Date.now();
  for (let waited = 0; !(await isSo()); waited = Date.now() - since) {
    if (waited > timeoutMs) throw new Error(`waited ${timeoutMs} ms for ${what}`);
    await sleep(waited < SOON_MS ? ASK_SOON_MS : ASK_MS);
  }
}
