/**
 * What a model takes: once per process, its document and its trees, and then in each thread that serves it. A thread is
 * played by the same process: it gets the packed model, prepares the policy and explains one row, since solvers are
 * prepared when they are first needed. The collector runs before each look. Heap and buffers are counted from when another,
 * small model has been served, so that compiled code is not taken for the model; resident memory is counted from the start,
 * with all that passed through, the file's text above all.
 *
 *   node --expose-gc bench/forest-memory.mjs MODEL POLICY ROWS SMALL_MODEL SMALL_POLICY SMALL_ROWS
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { loadModel, loadPolicy, prepare } from '../dist/index.js';
import { readSharedModel, shareModel } from '../dist/jobs/threads/shared-documents.js';

const SELF = fileURLToPath(import.meta.url);
const MEGABYTE = 2 ** 20;
/** Long enough for every solver of the ladder to be prepared. */
const DEADLINE_MS = 300;

export function measureMemory(own, small) {
  const paths = [own, small].flatMap(({ model, policy, rows }) => [model, policy, rows]);
  return JSON.parse(execFileSync(process.execPath, ['--expose-gc', SELF, ...paths], { encoding: 'utf8' }));
}

async function main(paths) {
  const [modelPath, policyPath, rowsPath, ...small] = paths;
  const fresh = await look();
  const beside = await serve(loadModel(readJson(small[0])), ...small.slice(1));
  const before = await look();
  const model = loadModel(readJson(modelPath));
  const loaded = await look();
  const plan = await serve(model, policyPath, rowsPath);
  const after = await look();
  // All are read after the last look, or the collector would be free to take them before.
  const names = { name: model.name, plan: plan.model.name, beside: beside.model.name };
  const [modelMb, threadMb] = [kept(before, loaded), kept(loaded, after)];
  const residentMb = megabytes(after.rss - fresh.rss);
  process.stdout.write(JSON.stringify({ ...names, modelMb, threadMb, residentMb }));
}

const megabytes = (bytes) => Number((bytes / MEGABYTE).toFixed(1));
const kept = (from, to) => megabytes(to.heapUsed - from.heapUsed + to.arrayBuffers - from.arrayBuffers);

/** As a thread does. A function of its own, so that nothing but the plan outlives it. */
async function serve(model, policyPath, rowsPath) {
  const policy = { ...readJson(policyPath), deadlineMs: DEADLINE_MS };
  const plan = await prepare(readSharedModel(shareModel(model)), loadPolicy(policy), { now: () => performance.now() });
  plan.explain(readFirstRow(rowsPath));
  return plan;
}

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

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
