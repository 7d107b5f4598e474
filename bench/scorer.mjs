/**
 * Rows through a scorer with 5 ms of latency per request: common requests of many points, against one request per candidate with the
 * same number of requests at a time.
 *
 *   node bench/scorer.mjs [rows 2000] [rows with one request per candidate 60] [solver nearest]
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const [rows = 2000, few = 60] = process.argv.slice(2, 4).map(Number);
const [solver = 'nearest'] = process.argv.slice(4);
const LATENCY_MS = 5;
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'elsewise-scorer-'));
const at = (name) => join(folder, name);

const scorer = spawn(process.execPath, [join(root, 'test/support/scorers/scorer-process.mjs')], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const lines = createInterface(scorer.stdout);
const next = () => new Promise((resolve) => lines.once('line', resolve));
const port = Number(await next());

async function counted() {
  const line = next();
  scorer.stdin.write(`${JSON.stringify({ latencyMs: LATENCY_MS, count: 'reset' })}\n`);
  return JSON.parse(await line);
}

function write(batchSize, count) {
  const samples = Array.from({ length: 24 }, (_, k) => [(k % 9) / 2, (k % 11) / 10, 'xyz'[k % 3]]);
  const document = {
    schema: 'elsewise.model/v1',
    name: 'bench',
    family: 'black-box',
    features: [
      { name: 'a', type: 'continuous', min: 0, max: 6 },
      { name: 'b', type: 'continuous', min: 0, max: 1 },
      { name: 'c', type: 'categorical', categories: ['x', 'y', 'z'] },
    ],
    classes: ['no', 'yes'],
    parameters: {
      scorer: { type: 'http', url: `http://127.0.0.1:${port}/score` },
      outputs: 'probabilities',
      batchSize,
      timeoutMs: 30_000,
    },
    background: { samples },
  };
  writeFileSync(at('model.json'), JSON.stringify(document));
  const policy = { schema: 'elsewise.policy/v1', target: 'yes', solvers: [solver] };
  writeFileSync(at('policy.json'), JSON.stringify(policy));
  const row = (_, k) => `r${k},${((k * 1.7) % 3.3).toFixed(3)},${((k * 0.37) % 0.5).toFixed(3)},${'xyz'[k % 3]}`;
  writeFileSync(at('rows.csv'), `id,a,b,c\n${Array.from({ length: count }, row).join('\n')}\n`);
}

async function measure(batchSize, count) {
  write(batchSize, count);
  await counted();
  const env = {
    ...process.env,
    ELSEWISE_SCORING_HOSTS: `127.0.0.1:${port}`,
    ELSEWISE_SCORING_PRIVATE_ADDRESSES: 'true',
    ELSEWISE_SCORING_PATIENCE_MS: '600000',
  };
  const command = [
    'explain',
    '--model',
    at('model.json'),
    '--policy',
    at('policy.json'),
    '--input',
    at('rows.csv'),
    '--output',
    at('out.ndjson'),
  ];
  const started = performance.now();
  const child = spawn(process.execPath, [join(root, 'dist/cli/main.js'), ...command, '--quiet'], {
    env,
    stdio: 'inherit',
  });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  const seconds = (performance.now() - started) / 1000;
  const { requests, points, largest } = await counted();
  const statuses = {};
  for (const line of readFileSync(at('out.ndjson'), 'utf8').trimEnd().split('\n')) {
    const { status } = JSON.parse(line);
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  const msPerRow = (1000 * seconds) / count;
  console.log({
    batchSize,
    rows: count,
    code,
    seconds: seconds.toFixed(1),
    msPerRow: msPerRow.toFixed(2),
    requests,
    points,
    largest,
    statuses,
  });
  return msPerRow;
}

const common = await measure(512, rows);
const single = await measure(1, few);
console.log(`common requests are ${(single / common).toFixed(0)} times as fast`);
scorer.kill();
rmSync(folder, { recursive: true });
