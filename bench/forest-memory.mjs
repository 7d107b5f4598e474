/**
 * What a model takes in each thread that serves it: how much a fresh process holds after it has loaded the model, prepared
 * the policy and explained one row, since solvers are prepared when they are first needed. The collector runs before each
 * look. Heap and buffers are counted from when another, small model has been served, so that compiled code is not taken for
 * the model; resident memory is counted from the start, with all that passed through, the file's text above all.
 *
 *   node --expose-gc bench/forest-memory.mjs MODEL POLICY ROWS SMALL_MODEL SMALL_POLICY SMALL_ROWS
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { loadModel, loadPolicy, prepare } from '../dist/index.js';

const SELF = fileURLToPath(import.meta.url);
const MEGABYTE = 2 ** 20;
/** Long enough for every solver of the ladder to be prepared. */
const DEADLINE_MS = 300;

export function measureMemory(own, small) {
  const paths = [own, small].flatMap(({ model, policy, rows }) => [model, policy, rows]);
  return JSON.parse(execFileSync(process.execPath, ['--expose-gc', SELF, ...paths], { encoding: 'utf8' }));
}

async function main(paths) {
  const fresh = await look();
  const small = await load(...paths.slice(3));
  const before = await look();
  const plan = await load(...paths.slice(0, 3));
  const after = await look();
  const megabytes = (bytes) => Number((bytes / MEGABYTE).toFixed(1));
  const heapMb = megabytes(after.heapUsed - before.heapUsed);
  const buffersMb = megabytes(after.arrayBuffers - before.arrayBuffers);
  // Both are read after the last look, or the collector would be free to take them before.
  const [name, beside] = [plan, small].map(({ model }) => model.name);
  const keptMb = megabytes(MEGABYTE * (heapMb + buffersMb));
  process.stdout.write(
    JSON.stringify({ name, beside, keptMb, heapMb, buffersMb, residentMb: megabytes(after.rss - fresh.rss) }),
  );
}

/** A function of its own, so that nothing but the plan outlives it. */
async function load(modelPath, policyPath, rowsPath) {
  const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
  const policy = { ...read(policyPath), deadlineMs: DEADLINE_MS };
  const plan = await prepare(loadModel(read(modelPath)), loadPolicy(policy), { now: () => performance.now() });
  plan.explain(readFirstRow(rowsPath));
  return plan;
}

const readFirstRow = (path) => JSON.parse(readFileSync(path, 'utf8').split('\n', 1)[0]);

/** Buffers are given back a turn after the collector has found them. */
async function look() {
  for (let round = 0; round < 3; round++) {
    globalThis.gc();
    await setImmediate();
  }
  return process.memoryUsage();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main(process.argv.slice(2));
