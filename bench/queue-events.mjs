/**
 * Events through Redis: how long from enqueueing one row to its stored answer, on an idle worker and while a batch keeps
 * every core busy; and how two worker processes share a batch of tree-ensemble rows.
 *
 *   node bench/queue-events.mjs [--short] [--redis URL] [--only events|workers]
 *
 * A Redis of its own is started where none is named. Events are sent open-loop, at their appointed times whether or not
 * earlier ones are answered, and a late answer counts from the appointed time: a system that falls behind shows it.
 *
 * Goals: idle p50 < 8 ms; p99 < 30 ms at 100 events/s while the batch saturates; two processes >= 1.7 x one.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Queue } from 'bullmq';
import { QUEUES } from '../dist/jobs/contract.js';
import { Producer } from '../dist/jobs/producer.js';
import { connect } from '../dist/store/redis/redis.js';
import { storeSettings } from '../dist/store/settings.js';
import { storeOver } from '../dist/store/store.js';
import { startRedis } from '../scripts/redis.mjs';
import { CLI } from './end-to-end.mjs';
import { createRandom } from './random.mjs';

export const GOALS = { idleP50Ms: 8, busyP99Ms: 30, twoWorkers: 1.7 };
const PER_SECOND = 100;
export const SECONDS = { full: 20, short: 5 };
export const FOREST_ROWS = { full: 2_000, short: 240 };
/** The first warms the threads up; of all the fastest counts, since other work can only slow them down. */
const FOREST_RUNS = 3;
const ANSWER_WITHIN_MS = 30_000;

/** What runs on Redis during one measurement, under prefixes of its own. */
async function openWorld(url) {
  const prefix = `bench-${randomBytes(4).toString('hex')}`;
  const env = { REDIS_URL: url, ELSEWISE_PREFIX: prefix, ELSEWISE_QUEUE_PREFIX: `${prefix}-queue` };
  const settings = storeSettings({}, env);
  const store = storeOver(await connect(settings), settings);
  const workers = [];
  return {
    store,
    async startWorker(...options) {
      const args = [CLI, 'worker', '--port', '0', ...options];
      const child = spawn(process.execPath, args, {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      workers.push(child);
      await new Promise((resolve) => child.stdout.once('data', resolve));
    },
    async stopWorkers() {
      const ended = workers.splice(0).map((child) => {
        child.kill('SIGTERM');
        return new Promise((resolve) => child.once('close', resolve));
      });
      await Promise.all(ended);
    },
    async close() {
      await this.stopWorkers();
      for await (const keys of store.redis.scanStream({ match: `${prefix}*`, count: 1000 }))
        if (keys.length > 0) await store.redis.unlink(...keys);
      store.redis.disconnect();
    },
  };
}

/** Latencies of events, idle and busy. */
export async function measureEvents(url, seconds) {
  const world = await openWorld(url);
  const producer = new Producer(world.store);
  try {
    await world.store.models.push(linearModel());
    await world.startWorker('--threads', '2');
    await sendEvents(producer, 1, 'warm-up');
    const idle = await sendEvents(producer, seconds, 'idle');
    const batch = await enqueueAtOnce(world, producer, BULK_ROWS_PER_SECOND * (seconds + 1));
    await sleep(1000);
    const before = await world.store.batches.status(batch.id);
    const busy = await sendEvents(producer, seconds, 'busy');
    const after = await world.store.batches.status(batch.id);
    if (after.done === after.chunks) throw new Error('the batch ended before the events did: nothing was saturated');
    const rowsPerSecond = Math.round(((after.done - before.done) * after.manifest.chunkRows) / seconds);
    return { perSecond: PER_SECOND, seconds, idle, busy, bulkRowsPerSecond: rowsPerSecond };
  } finally {
    await world.close();
    await producer.close();
  }
}

/** The worker waits until the whole batch is there: what it is given while rows still come in would not saturate it. */
async function enqueueAtOnce({ store }, producer, count) {
  const queue = new Queue(QUEUES.bulk, { connection: store.redis, prefix: store.settings.queuePrefix });
  await queue.pause();
  const batch = await producer.enqueueBatch({ source: rows(count), name: 'rows.csv', model: 'bench', policy: POLICY });
  await queue.resume();
  await queue.close();
  return batch;
}

async function sendEvents(producer, seconds, name) {
  const started = performance.now();
  const count = PER_SECOND * seconds;
  const latencies = await Promise.all(Array.from({ length: count }, (_, i) => sendAt(producer, started, i, name)));
  latencies.sort((a, b) => a - b);
  const at = (share) => Number(latencies[Math.min(count - 1, Math.floor(share * count))].toFixed(2));
  return { events: count, p50Ms: at(0.5), p90Ms: at(0.9), p99Ms: at(0.99), maxMs: at(1) };
}

async function sendAt(producer, started, i, name) {
  const due = started + (1000 * i) / PER_SECOND;
  await sleep(Math.max(0, due - performance.now()));
  const event = { id: `${name}-${i}`, model: 'bench', policy: POLICY, features: featuresOf(i) };
  const answer = await producer.explain(event, { waitMs: ANSWER_WITHIN_MS });
  if (answer?.status !== 'found') throw new Error(`event ${event.id}: ${answer?.status ?? 'no answer'}`);
  return performance.now() - due;
}

/** Rows per second of one and of two processes with one thread each, over the same forest, in chunks as producers make them. */
export async function measureWorkers(url, count) {
  const world = await openWorld(url);
  const producer = new Producer(world.store);
  try {
    await world.store.models.push(forestModel());
    const figures = {};
    for (const [name, processes] of [
      ['one', 1],
      ['two', 2],
    ]) {
      const starts = Array.from({ length: processes }, () => world.startWorker('--threads', '1', '--queues', 'bulk'));
      await Promise.all(starts);
      const seconds = [];
      for (let run = 0; run < FOREST_RUNS; run++)
        seconds.push(await runBatch(world, producer, count, `forest-${name}-${run}`));
      figures[name] = Math.round(count / Math.min(...seconds));
      await world.stopWorkers();
    }
    return { rows: count, ...figures, ratio: Number((figures.two / figures.one).toFixed(2)) };
  } finally {
    await world.close();
    await producer.close();
  }
}

/** Seconds for the same rows each time, under a policy of another name: nothing is known from the batch before. */
async function runBatch({ store }, producer, count, batch) {
  const policy = { ...FOREST_POLICY, name: batch };
  const input = { source: rows(count), name: 'rows.csv', model: 'forest', policy };
  const started = performance.now();
  await producer.enqueueBatch({ ...input, batch });
  for (;;) {
    const { isSealed, chunks, done, failed } = await store.batches.status(batch);
    if (failed > 0) throw new Error(`${failed} chunks of ${batch} failed`);
    if (isSealed && chunks === done) return (performance.now() - started) / 1000;
    await sleep(20);
  }
}

// ---------------------------------------------------------------------------------------------- models and rows

const FEATURES = 20;
const names = Array.from({ length: FEATURES }, (_, f) => `feature${f + 1}`);
const POLICY = {
  schema: 'elsewise.policy/v1',
  name: 'bench',
  target: 'yes',
  cost: { norm: 'l1' },
  features: Object.fromEntries(
    names.map((name, f) => [name, f < 4 ? { change: 'never' } : { change: 'increase', max: 9 }]),
  ),
};
const FOREST_POLICY = { schema: 'elsewise.policy/v1', name: 'forest', target: 'yes', deadlineMs: 1000 };
/** `bar`: what the trees together must reach. */
const FOREST = { trees: 30, depth: 4, bar: 15 };
/** More than the worker answers meanwhile. */
const BULK_ROWS_PER_SECOND = 80_000;

function linearModel() {
  const random = createRandom(1);
  const weights = names.map(() => random() + 0.2);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return describeModel('bench', 'logistic-regression', { weights, bias: -6.2 * total, threshold: 0.5 });
}

/** Random trees whose leaves agree that large values are good, so that most rows have a way. */
function forestModel() {
  const random = createRandom(2);
  const trees = Array.from({ length: FOREST.trees }, () => randomTree(random));
  return describeModel('forest', 'tree-ensemble', { trees, aggregation: 'sum', base: -FOREST.bar, link: 'logit' });
}

function randomTree(random) {
  const tree = { feature: [], threshold: [], left: [], right: [], value: [] };
  const grow = (depth, goodness) => {
    const node = tree.feature.push(Math.floor(FEATURES * random())) - 1;
    tree.threshold.push(Number((1 + 7 * random()).toFixed(2)));
    tree.value.push([depth === 0 ? goodness / FOREST.depth + 0.2 * random() : 0]);
    tree.left.push(-1);
    tree.right.push(-1);
    if (depth > 0) tree.left[node] = grow(depth - 1, goodness);
    if (depth > 0) tree.right[node] = grow(depth - 1, goodness + 1);
    return node;
  };
  grow(FOREST.depth, 0);
  return tree;
}

function describeModel(name, family, parameters) {
  const features = names.map((feature) => ({ name: feature, type: 'continuous', min: 0, max: 10 }));
  return { schema: 'elsewise.model/v1', name, family, features, classes: ['no', 'yes'], parameters };
}

const featuresOf = (i) => {
  const random = createRandom(i + 17);
  return Object.fromEntries(names.map((name) => [name, Number((6 * random()).toFixed(3))]));
};

async function* rows(count) {
  const random = createRandom(3);
  yield Buffer.from(`id,${names.join(',')}\n`);
  for (let from = 0; from < count; from += 1000) {
    const lines = Array.from({ length: Math.min(1000, count - from) }, (_, i) => {
      return `r-${from + i},${names.map(() => (6 * random()).toFixed(3)).join(',')}\n`;
    });
    yield Buffer.from(lines.join(''));
  }
}

// ---------------------------------------------------------------------------------------------- command line

export function describeEvents({ perSecond, seconds, idle, busy, bulkRowsPerSecond }) {
  const show = ({ p50Ms, p90Ms, p99Ms, maxMs }) => `p50 ${p50Ms}  p90 ${p90Ms}  p99 ${p99Ms}  max ${maxMs} ms`;
  return [
    `events, ${perSecond}/s for ${seconds} s, from due to stored answer`,
    `  idle  ${show(idle)}   goal: p50 < ${GOALS.idleP50Ms} ms ${verdict(idle.p50Ms < GOALS.idleP50Ms)}`,
    `  busy  ${show(busy)}   goal: p99 < ${GOALS.busyP99Ms} ms ${verdict(busy.p99Ms < GOALS.busyP99Ms)}`,
    `        while a batch ran at ${bulkRowsPerSecond} rows/s`,
  ].join('\n');
}

export function describeWorkers({ rows: count, one, two, ratio }) {
  const met = verdict(ratio >= GOALS.twoWorkers);
  return `workers, ${count} forest rows, the fastest of ${FOREST_RUNS}: one ${one}, two ${two} rows/s, ratio ${ratio}   goal: ${GOALS.twoWorkers} ${met}`;
}

const verdict = (isMet) => (isMet ? 'met' : 'MISSED');

async function main() {
  const { values } = parseArgs({
    options: { short: { type: 'boolean' }, redis: { type: 'string' }, only: { type: 'string' } },
  });
  const pace = values.short ? 'short' : 'full';
  const server = values.redis ? { url: values.redis, stop: async () => {} } : await startRedis();
  try {
    console.log(`load before: ${loadavg()[0].toFixed(1)}`);
    if (values.only !== 'workers') console.log(describeEvents(await measureEvents(server.url, SECONDS[pace])));
    if (values.only !== 'events') console.log(describeWorkers(await measureWorkers(server.url, FOREST_ROWS[pace])));
  } finally {
    await server.stop();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
