/**
 * `npm test`: build, a real Redis, a Python with scikit-learn, a Chromium, then all tests, and beside them lint and the types of the tests, whose words
 * follow when they have ended. Further arguments go to vitest.
 * The last line is always `N passed, N failed`. A failed build, lint or type, a missing server, a test file that does not
 * load and a skipped test each count as failed: a green line means that everything ran.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { provideChromium } from './chromium.mjs';
import { providePython } from './python.mjs';
import { provideRedis } from './redis.mjs';
import { Missing } from './system.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const KILL_AFTER_MS = 10_000;
/** Many files run side by side: the threads of numerical libraries of Python would only take the cores from each other. */
const ONE_THREAD = { OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' };

const tally = { passed: 0, failed: 0 };
const cleanups = [];
let interruptedBy;
const children = new Set(); // those that a signal has to reach

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, interrupt);
if (process.env.npm_lifecycle_event) watchParent();
process.stdout.on('error', () => {}); // a reader that went away (`| head`) must not keep us from cleaning up

try {
  await main(process.argv.slice(2));
} catch (error) {
  fail(error instanceof Missing ? error.message : error.stack);
}
for (const cleanup of cleanups.reverse()) await cleanup();
console.log(`${tally.passed} passed, ${tally.failed} failed`);
process.exit(interruptedBy ? 128 + constants.signals[interruptedBy] : Math.min(tally.failed, 1));

async function main(args) {
  if ((await run('npm', ['run', 'build'])) !== 0) fail('npm run build failed');
  const checks = ['lint', 'typecheck'].map(check);
  const redis = await provideRedis();
  cleanups.push(() => redis.stop());
  const provided = { REDIS_URL: redis.url, PYTHON: providePython(), CHROMIUM: provideChromium() };
  await runTests(args, { ...provided, ...ONE_THREAD, AFTER_BUILD: '1' });
  await Promise.all(checks);
}

async function check(step) {
  const words = [];
  const code = await run('npm', ['run', step], {}, words).catch((error) => error.message);
  process.stdout.write(Buffer.concat(words));
  if (code !== 0) fail(`npm run ${step} failed`);
}

async function runTests(args, env) {
  const directory = await mkdtemp(join(tmpdir(), 'elsewise-test-'));
  cleanups.push(() => rm(directory, { recursive: true, force: true }));
  const file = join(directory, 'report.json');
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  // TMPDIR: what tests leave behind goes with the rest
  const code = await run(process.execPath, [vitest, 'run', ...reporters, ...args], { ...env, TMPDIR: directory });
  count(JSON.parse(await readFile(file, 'utf8').catch(() => '{}')), code);
}

function count(report, code) {
  const files = report.testResults ?? [];
  const tests = files.flatMap((file) => file.assertionResults);
  const having = (...statuses) => tests.filter((test) => statuses.includes(test.status)).length;
  const broken = files.filter((file) => file.status === 'failed' && !file.assertionResults.some(isFailed));
  const left = tests.length - having('passed', 'failed');
  tally.passed += having('passed');
  tally.failed += having('failed');
  for (const file of broken) fail(`${file.name} failed outside of its tests`);
  if (left > 0) fail(`skipped tests: ${left}, each counts as failed`, left);
  if (having('passed', 'failed') === 0) fail('no test ran');
  if (code !== 0 && tally.failed === 0) fail(`vitest ended with code ${code} although no test failed`);
}

function isFailed(test) {
  return test.status === 'failed';
}

function fail(message, times = 1) {
  tally.failed += times;
  console.log(message);
}

/** `words`: takes what the command says, in place of the terminal. */
function run(command, args, env = {}, words = undefined) {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Missing(`interrupted by ${interruptedBy}`));
    if (interruptedBy) return stop();
    const output = words ? 'pipe' : 'inherit';
    const child = spawn(command, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', output, output],
    });
    children.add(child);
    for (const stream of words ? [child.stdout, child.stderr] : []) stream.on('data', (bytes) => words.push(bytes));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      children.delete(child);
      return interruptedBy ? stop() : resolve(code ?? signal);
    });
  });
}

/** Ends the running steps; `run` then rejects and the way out is the same as after a failure. */
function interrupt(signal) {
  if (interruptedBy) return;
  interruptedBy = signal;
  for (const child of children) child.kill(signal);
  setTimeout(() => {
    for (const child of children) child.kill('SIGKILL');
  }, KILL_AFTER_MS).unref();
}

/** npm passes a signal on to its shell only: when that shell is gone, so is whoever wanted the result. */
function watchParent() {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && interrupt('SIGTERM'), 500).unref();
}
