/**
 * What a model takes in each thread that serves it: how much a fresh process grows when it loads the model, prepares the
 * policy and explains one row, since solvers are prepared when they are first needed. The collector runs before either
 * look, so that heap and buffers are what is kept; resident memory also has what passed through, the file's text above all.
 *
 *   node --expose-gc bench/forest-memory.mjs MODEL POLICY ROWS
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { loadModel, loadPolicy, prepare } from '../dist/index.js';

const SELF = fileURLToPath(import.meta.url);
const MEGABYTE = 2 ** 20;

export function measureMemory({ model, policy, rows }) {
  return JSON.parse(execFileSync(process.execPath, ['--expose-gc', SELF, model, policy, rows], { encoding: 'utf8' }));
}

async function main([modelPath, policyPath, rowsPath]) {
  const before = look();
  const plan = await load(modelPath, policyPath);
  plan.explain(readFirstRow(rowsPath));
  const after = look();
  const grown = (key) => Number(((after[key] - before[key]) / MEGABYTE).toFixed(1));
  // The plan is read after the last look, or the collector would be free to take it before.
  const model = plan.model.name;
  const [heapMb, buffersMb, residentMb] = ['heapUsed', 'arrayBuffers', 'rss'].map(grown);
  process.stdout.write(
    JSON.stringify({ model, heapMb, buffersMb, residentMb, keptMb: Number((heapMb + buffersMb).toFixed(1)) }),
  );
}

/** A function of its own, so that nothing but the plan outlives it. */
async function load(modelPath, policyPath) {
  const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
  return prepare(loadModel(read(modelPath)), loadPolicy(read(policyPath)), { now: () => performance.now() });
}

const readFirstRow = (path) => JSON.parse(readFileSync(path, 'utf8').split('\n', 1)[0]);

function look() {
  globalThis.gc();
  return process.memoryUsage();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main(process.argv.slice(2));
