/**
 * The operator's page over a full store: 1,000 batches and 100,000 dead letters in a real Redis, the API in this process, and Chromium.
 *
 *   node bench/console.mjs [--batches N] [--letters N] [--pictures FOLDER]
 *
 * Goal: the first paint after at most 1 s, and at most 150 KB of compressed scripts. Also measured: the longest task of the page's thread
 * in each view, and the request that groups the letters. `--pictures` keeps a picture of each view, light, dark and on a phone.
 */
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { provideChromium } from '../scripts/chromium.mjs';
import { startRedis } from '../scripts/redis.mjs';

const GOAL = { firstPaintMs: 1_000, scriptBytes: 150_000 };
const AT_ONCE = 500;
const DAY_MS = 86_400_000;
const KINDS = [
  ['not-known', 'no model "credit@7" is stored: push the model, then replay', 'credit@7'],
  ['scorer-unavailable', 'the scorer at risk.internal:8080 did not answer within 10000 ms', 'risk@2'],
  ['thread-lost', 'the thread ran out of memory', 'forest@4'],
  ['bad-document', 'expected a number of at least 1, received 0 (policy.maxChanges)', 'credit@6'],
  ['too-large', 'the body has 1,204,331 bytes, more than 1048576', undefined],
];
const DIGEST = `sha256:${'0'.repeat(64)}`;
const LOOKS = {
  light: { colorScheme: 'light', viewport: { width: 1180, height: 900 } },
  dark: { colorScheme: 'dark', viewport: { width: 1180, height: 900 } },
  phone: { colorScheme: 'light', viewport: { width: 375, height: 740 }, deviceScaleFactor: 2 },
};

const { values } = parseArgs({
  options: {
    batches: { type: 'string', default: '1000' },
    letters: { type: 'string', default: '100000' },
    pictures: { type: 'string' },
  },
});
const counts = { batches: Number(values.batches), letters: Number(values.letters) };
process.env.ELSEWISE_DEAD_LETTERS_MAX_COUNT = String(2 * counts.letters);

const [
  { ApiServer },
  { apiSettings },
  { storeSettings },
  { storeOver },
  { connect },
  { createToken, hashToken },
  documents,
] = await Promise.all([
  import('../dist/api/server.js'),
  import('../dist/api/settings.js'),
  import('../dist/store/settings.js'),
  import('../dist/store/store.js'),
  import('../dist/store/redis/redis.js'),
  import('../dist/api/tokens.js'),
  import('../dist/documents/policy-document.js'),
]);

const redis = await startRedis();
const settings = storeSettings({ url: redis.url });
const connection = await connect(settings);
const store = storeOver(connection, settings);
const token = createToken();
const server = await ApiServer.start({
  store: settings,
  api: apiSettings({ port: 0, tokens: [{ name: 'jo', roles: ['admin'], sha256: hashToken(token) }] }),
  insecureNoAuth: false,
  log: { write: () => {} },
});
const browser = await chromium.launch({ executablePath: provideChromium(), args: ['--no-sandbox'] });
try {
  await fill();
  tell(
    'scripts of the console, Brotli',
    `${scriptBytes().toLocaleString('en-US')} bytes`,
    scriptBytes() <= GOAL.scriptBytes,
  );
  await measureGrouping();
  await measureViews();
} finally {
  await browser.close();
  await server.drain();
  connection.disconnect();
  await redis.stop();
}

async function inParts(count, work) {
  for (let from = 0; from < count; from += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, i) => work(from + i)));
}

async function fill() {
  const started = performance.now();
  await inParts(counts.letters, addLetter);
  tell(`${counts.letters.toLocaleString('en-US')} dead letters added`, seconds(started));
  await inParts(counts.batches, addBatch);
  await addJobs();
  await addWorkers();
  await addActions();
  await store.schedules.put({
    ...{
      schema: 'elsewise.schedule/v1',
      name: 'nightly',
      cron: '0 2 * * *',
      timeZone: 'Europe/Berlin',
      model: 'credit',
    },
    ...{ input: '/data/in/*.csv', isPaused: true, created: new Date().toISOString() },
  });
  for (const [i, outcome] of ['added', 'added', 'failed', 'nothing-new', 'added'].entries()) {
    const id = new Date(Date.now() - i * DAY_MS).toISOString();
    const failure =
      outcome === 'failed' ? { failure: { code: 'not-known', message: 'no model "credit" is stored' } } : {};
    await store.schedules.recordRun('nightly', {
      id,
      kind: 'scheduled',
      started: id,
      outcome,
      files: [],
      known: 3,
      ...failure,
    });
  }
}

function addLetter(i) {
  const [code, message, model] = KINDS[Math.floor((KINDS.length * (i % 97) ** 2) / 97 ** 2)];
  const body = Buffer.from(
    JSON.stringify({ id: `a-${i}`, model, features: { income: i, age: 20 + (i % 50), note: 'x'.repeat(200) } }),
  );
  const policy = i % 3 === 0 ? 'retail-credit' : 'mortgage';
  return store.dead.add({
    source: 'events',
    origin: `event-${i}`,
    code,
    message,
    model,
    policy,
    attempts: 1 + (i % 4),
    body,
  });
}

async function addBatch(i) {
  const createdMs = Date.now() - i * 300_000;
  const id = `nightly-${String(counts.batches - i).padStart(5, '0')}`;
  const policy = documents.policySchema.parse({
    schema: 'elsewise.policy/v1',
    name: i % 4 ? 'retail-credit' : 'mortgage',
  });
  const chunks = i === 0 ? 240 : 6;
  await store.batchIndex.add({ id, createdMs });
  await store.batches.create({
    ...{ schema: 'elsewise.batch/v1', id, layout: { format: 'ndjson' }, chunkRows: 500, ttlSeconds: 604_800, by: 'jo' },
    model: { name: 'credit', version: 1 + (i % 7), digest: DIGEST },
    policy: { digest: DIGEST, document: policy },
    created: new Date(createdMs).toISOString(),
  });
  for (let c = 0; c < chunks; c++) await addChunk(id, createdMs, c, i === 0 || i % 9 === 0 ? 0.8 * chunks : chunks);
  await store.batches.seal(id, chunks, DIGEST);
}

async function addChunk(batch, createdMs, index, ended) {
  const facts = { digest: DIGEST, firstRow: 1 + 500 * index, rows: 500 };
  const generation = createdMs.toString(36);
  await store.batches.addChunk(batch, index, facts, { data: Buffer.from('rows'), digest: DIGEST });
  if (index >= ended) return;
  const started = createdMs + 400 * Math.floor(index / 4) + 37 * (index % 7);
  const run = {
    started,
    ended: started + 260 + 23 * (index % 11),
    worker: `solver-${1 + (index % 2)}`,
    attempts: index % 53 === 9 ? 3 : 1,
  };
  if (index % 61 === 17) {
    const failed = { state: 'failed', ...facts, code: 'thread-lost', message: 'the thread ran out of memory', run };
    return store.batches.fail(batch, index, failed, generation);
  }
  const statuses = { found: 480 - (index % 5), 'not-found': index % 5, infeasible: 20 };
  const finished = { batch, generation, index, facts, counts: statuses, costs: { buckets: new Map(), sum: 0 }, run };
  await store.results.finishChunk(finished, { data: Buffer.from('results'), digest: DIGEST });
}

async function addJobs() {
  const { openQueue } = await import('../dist/jobs/text-jobs.js');
  for (const [name, waiting, delayed] of [
    ['events', 34, 2],
    ['bulk', 48, 0],
    ['webhooks', 3, 6],
  ]) {
    const queue = openQueue(`elsewise-${name}`, connection, settings.queuePrefix);
    const job = (delay) => ({ name, data: '{}', opts: { delay } });
    await queue.addBulk([...Array(waiting).fill(job(0)), ...Array(delayed).fill(job(600_000))]);
    if (name === 'webhooks') await queue.pause();
    await queue.close();
  }
}

async function addWorkers() {
  const queues = ['elsewise-events', 'elsewise-requests', 'elsewise-bulk'];
  for (let i = 1; i <= 4; i++) {
    const now = new Date().toISOString();
    const started = new Date(Date.now() - i * DAY_MS).toISOString();
    const id = `solver-${i}`;
    const jobs = i === 4 ? [] : [{ queue: 'elsewise-bulk', id: `chunk-nightly-01000-${190 + i}@k1`, since: now }];
    await store.workers.beat({
      id,
      host: id,
      pid: 40 + i,
      version: '0.1.0',
      started,
      seen: now,
      threads: 9,
      queues,
      jobs,
      jobCount: jobs.length,
    });
  }
  await connection.del(`${settings.keyPrefix}:worker:solver-4`);
}

async function addActions() {
  const log = (action, target, reason, detail) =>
    store.actions.record(
      { action, target, by: 'jo', via: 'http', reason },
      async () => detail,
      (words) => words,
    );
  await log('pause-queue', 'elsewise-webhooks', 'the receiver is being moved', 'paused');
  await log('retry-batch', 'nightly-00991', 'memory of the workers was raised', 'chunks tried again: 2');
  await log('replay-letters', '5a0c1f6be2d34411', 'credit@7 was pushed', 'replayed: 1204 of 1204');
}

async function measureGrouping() {
  const headers = { authorization: `Bearer ${token}` };
  const times = [];
  for (let i = 0; i < 20; i++) {
    const started = performance.now();
    await (await fetch(`${server.address}/v1/dead-letters/groups`, { headers })).json();
    times.push(performance.now() - started);
  }
  times.sort((one, other) => one - other);
  tell('request that groups the letters', `median ${times[10].toFixed(1)} ms, slowest ${times[19].toFixed(1)} ms`);
}

async function measureViews() {
  const group = (await store.dead.groups.list(1)).groups[0].id;
  const newest = `nightly-${String(counts.batches).padStart(5, '0')}`;
  const views = { overview: 'overview', batches: 'batches', batch: `batches&id=${newest}`, letters: 'letters' };
  const all = { ...views, group: `letters&group=${group}`, schedules: 'schedules', actions: 'actions' };
  for (const [look, options] of Object.entries(LOOKS)) {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    await page.addInitScript(watchPage);
    await signIn(page);
    for (const [name, view] of Object.entries(all)) await measureView(page, { look, name, view });
    await context.close();
  }
}

/** Runs in the page before its scripts. */
function watchPage() {
  globalThis.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration);
  }).observe({ type: 'longtask', buffered: true });
}

async function signIn(page) {
  await page.goto(`${server.address}/console`);
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

async function measureView(page, { look, name, view }) {
  await page.goto('about:blank');
  await page.goto(`${server.address}/console#/operator?view=${view}`);
  const started = performance.now();
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  await page.waitForFunction(() => !/Loading/.test(document.body.innerText));
  const shownMs = performance.now() - started;
  const { paintMs, longest } = await page.evaluate(() => ({
    paintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    longest: globalThis.longest,
  }));
  if (look === 'light') {
    const words = `first paint ${paintMs.toFixed(0)} ms, data shown ${shownMs.toFixed(0)} ms later, longest task ${longest.toFixed(0)} ms`;
    tell(`view ${name}`, words, paintMs <= GOAL.firstPaintMs);
  }
  if (!values.pictures) return;
  mkdirSync(values.pictures, { recursive: true });
  await page.screenshot({ path: join(values.pictures, `${name}-${look}.png`), fullPage: true });
  if (name !== 'group') return;
  await page.getByRole('button', { name: /^Drop all/ }).click();
  await page.screenshot({ path: join(values.pictures, `dialog-${look}.png`) });
}

function scriptBytes() {
  const folder = new URL('../dist/console/', import.meta.url);
  const scripts = readdirSync(folder).filter((file) => file.endsWith('.js.br'));
  return scripts.reduce((sum, file) => sum + statSync(new URL(file, folder)).size, 0);
}

function tell(what, figure, isKept) {
  const verdict = isKept === undefined ? '' : isKept ? ' (goal kept)' : ' (GOAL MISSED)';
  console.log(`${what}: ${figure}${verdict}`);
}

function seconds(started) {
  return `${((performance.now() - started) / 1000).toFixed(1)} s`;
}
