/**
 * Rows through a scorer with 5 ms of latency per request, with the solvers that a policy gets without naming any. Common requests of many
 * points stand against one request per candidate with the same number of requests at a time: in `explain`, and through Redis in a
 * worker. A last batch loses its scorer in the middle and gets it back: every row has to have the answer of the first run.
 *
 *   node bench/scorer.mjs [--rows 2000] [--single 12] [--solver NAME]
 */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { startRedis } from '../scripts/redis.mjs';
import { CLI } from './end-to-end.mjs';

export const GOAL = { timesFaster: 20, lostRows: 0 };
export const SCORED_ROWS = { full: { rows: 2000, single: 12 }, short: { rows: 60, single: 2 } };
const LATENCY_MS = 5;
const COMMON_BATCH = 512;
const AWAY_MS = 1000;
/** Of each row, out of about 2,200: rows are under way and none or few are answered. */
const POINTS_BEFORE_KILL = 500;
const SCORER = fileURLToPath(new URL('../test/support/scorers/scorer-process.mjs', import.meta.url));

export async function measureScorer({ rows, single, solver } = SCORED_ROWS.full) {
  const folder = await mkdtemp(join(tmpdir(), 'elsewise-scorer-'));
  const server = await startRedis();
  const scorer = await Scorer.start();
  try {
    const stage = new Stage(folder, server.url, scorer, solver);
    const explained = await stage.explain('common', COMMON_BATCH, rows);
    const alone = await stage.explain('single', 1, single);
    const queued = await stage.throughRedis('queued', rows, explained.answers);
    const disturbed = await stage.throughRedis('disturbed', Math.ceil(rows / 4), explained.answers, true);
    const times = (figures) => alone.msPerRow / figures.msPerRow;
    return {
      timesFaster: Math.min(times(explained), times(queued)),
      rows,
      latencyMs: LATENCY_MS,
      single: figuresOf(alone, single),
      explain: { ...figuresOf(explained, rows), timesFaster: times(explained) },
      worker: { ...figuresOf(queued, rows), timesFaster: times(queued), lostRows: queued.lostRows },
      disturbed: { rows: disturbed.rows, lostRows: disturbed.lostRows, downMs: AWAY_MS },
    };
  } finally {
    scorer.kill();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

const figuresOf = ({ msPerRow, requests, points }, rows) => ({
  rows,
  msPerRow,
  requestsPerRow: requests / rows,
  pointsPerRow: points / rows,
  pointsPerRequest: points / requests,
});

/** The scorer of the tests in a process of its own, at one port, also after its end. */
class Scorer {
  static async start() {
    const scorer = new Scorer();
    await scorer.begin();
    return scorer;
  }

  async begin() {
    this.child = spawn(process.execPath, [SCORER, ...(this.port ? [String(this.port)] : [])], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.lines = createInterface(this.child.stdout);
    this.port = Number(await this.line());
    await this.counted();
  }

  line() {
    return new Promise((resolve) => this.lines.once('line', resolve));
  }

  /** Requests and points since the last call. */
  async counted() {
    const line = this.line();
    this.child.stdin.write(`${JSON.stringify({ latencyMs: LATENCY_MS, count: 'reset' })}\n`);
    return JSON.parse(await line);
  }

  kill() {
    this.child.kill('SIGKILL');
  }
}

class Stage {
  constructor(folder, redisUrl, scorer, solver) {
    this.folder = folder;
    this.scorer = scorer;
    this.solver = solver;
    this.redisUrl = redisUrl;
    this.env = {
      ...process.env,
      REDIS_URL: redisUrl,
      ELSEWISE_SCORING_HOSTS: `127.0.0.1:${scorer.port}`,
      ELSEWISE_SCORING_PRIVATE_ADDRESSES: 'true',
      ELSEWISE_SCORING_PATIENCE_MS: '600000',
    };
  }

  path(name) {
    return join(this.folder, name);
  }

  async explain(name, batchSize, rows) {
    const documents = this.write(name, batchSize, rows);
    const output = this.path(`${name}.ndjson`);
    await this.scorer.counted();
    const startedMs = performance.now();
    await this.run('explain', '--model', this.path(`${name}.json`), ...documents, '--output', output, '--quiet');
    const msPerRow = (performance.now() - startedMs) / rows;
    return { msPerRow, ...(await this.scorer.counted()), answers: answersIn(output) };
  }

  /** `expected`: answers by id of an undisturbed run. A row is lost when its answer is another one. */
  async throughRedis(name, rows, expected, isDisturbed = false) {
    const documents = this.write(name, COMMON_BATCH, rows);
    await this.run('models', 'push', this.path(`${name}.json`));
    await this.run('enqueue', '--model', name, ...documents, '--batch', name, '--quiet');
    const worker = spawn(process.execPath, [CLI, 'worker', '--queues', 'bulk', '--port', '0'], {
      env: this.env,
      stdio: 'ignore',
    });
    await this.scorer.counted();
    const startedMs = performance.now();
    if (isDisturbed) await this.disturb(name, rows);
    await this.until(name, rows);
    const msPerRow = (performance.now() - startedMs) / rows;
    worker.kill('SIGTERM');
    await new Promise((resolve) => worker.once('close', resolve));
    const output = this.path(`${name}.ndjson`);
    await this.run('batch', 'wait', name, '--output', output, '--quiet');
    const answers = answersIn(output);
    const lostRows = [...expected].slice(0, rows).filter(([id, answer]) => answers.get(id) !== answer).length;
    return { rows, msPerRow, ...(await this.scorer.counted()), lostRows };
  }

  /** Kills the scorer while rows are under way, and brings it back. */
  async disturb(batch, rows) {
    for (let points = 0; points < POINTS_BEFORE_KILL * rows; points += (await this.scorer.counted()).points)
      await sleep(50);
    this.scorer.kill();
    await sleep(AWAY_MS);
    await this.scorer.begin();
    if ((await this.answered(batch)) >= rows) throw new Error('the batch ended before its scorer was killed');
  }

  async until(batch, rows) {
    while ((await this.answered(batch)) < rows) await sleep(100);
  }

  async answered(batch) {
    const redis = new Redis(this.redisUrl);
    try {
      return Number(await redis.hget(`elsewise:batch:{${batch}}`, 'answered'));
    } finally {
      redis.disconnect();
    }
  }

  async run(...args) {
    const child = spawn(process.execPath, [CLI, ...args], { env: this.env, stdio: ['ignore', 'ignore', 'inherit'] });
    const code = await new Promise((resolve) => child.once('close', resolve));
    if (code !== 0) throw new Error(`${args[0]} ended with ${code}`);
  }

  write(name, batchSize, count) {
    writeFileSync(this.path(`${name}.json`), JSON.stringify(modelOf(name, this.scorer.port, batchSize)));
    const solvers = this.solver ? { solvers: [this.solver] } : {};
    writeFileSync(
      this.path('policy.json'),
      JSON.stringify({ schema: 'elsewise.policy/v1', target: 'yes', ...solvers }),
    );
    const row = (_, k) => `r${k},${((k * 1.7) % 3.3).toFixed(3)},${((k * 0.37) % 0.5).toFixed(3)},${'xyz'[k % 3]}`;
    writeFileSync(this.path('rows.csv'), `id,a,b,c\n${Array.from({ length: count }, row).join('\n')}\n`);
    return ['--policy', this.path('policy.json'), '--input', this.path('rows.csv')];
  }
}

function modelOf(name, port, batchSize) {
  const samples = Array.from({ length: 24 }, (_, k) => [(k % 9) / 2, (k % 11) / 10, 'xyz'[k % 3]]);
  const scorer = { type: 'http', url: `http://127.0.0.1:${port}/score` };
  return {
    schema: 'elsewise.model/v1',
    name,
    family: 'black-box',
    features: [
      { name: 'a', type: 'continuous', min: 0, max: 6 },
      { name: 'b', type: 'continuous', min: 0, max: 1 },
      { name: 'c', type: 'categorical', categories: ['x', 'y', 'z'] },
    ],
    classes: ['no', 'yes'],
    parameters: { scorer, outputs: 'probabilities', batchSize, timeoutMs: 30_000 },
    background: { samples },
  };
}

/** By id: the answer without times and versions. */
function answersIn(file) {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return new Map(
    lines.map((line) => {
      const { id, status, counterfactuals, degraded, limitedBy } = JSON.parse(line);
      return [id, JSON.stringify({ status, counterfactuals, degraded, limitedBy })];
    }),
  );
}

export function describeScorer({ rows, latencyMs, single, explain, worker, disturbed, timesFaster }) {
  const line = (name, figures, end) =>
    `${name}  ${figures.msPerRow.toFixed(1)} ms a row, ${figures.pointsPerRow.toFixed(0)} points in ${figures.requestsPerRow.toFixed(1)} requests a row${end}`;
  const times = (figures) => `, ${figures.timesFaster.toFixed(0)} times as fast`;
  const isMet = timesFaster >= GOAL.timesFaster && worker.lostRows + disturbed.lostRows <= GOAL.lostRows;
  return [
    `${rows} rows, ${latencyMs} ms of latency per request, the default solvers, 4 requests at a time`,
    line('one per candidate', single, ` (${single.rows} rows)`),
    line('explain          ', explain, times(explain)),
    line('worker           ', worker, `${times(worker)}, ${worker.lostRows} rows with other answers`),
    `scorer killed and back after ${disturbed.downMs} ms: ${disturbed.lostRows} of ${disturbed.rows} rows lost`,
    `goal: ${GOAL.timesFaster} times as fast, no row lost: ${isMet ? 'met' : 'MISSED'}`,
  ].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: {
      rows: { type: 'string', default: String(SCORED_ROWS.full.rows) },
      single: { type: 'string', default: String(SCORED_ROWS.full.single) },
      solver: { type: 'string' },
    },
  });
  const figures = await measureScorer({
    rows: Number(values.rows),
    single: Number(values.single),
    solver: values.solver,
  });
  console.log(describeScorer(figures));
}
