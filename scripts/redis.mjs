/**
 * A real Redis (or Valkey) for tests. `provideRedis` is the test command's shared server; `startRedis` gives a test a
 * private one that it may fill, lock, kill and bring back:
 *
 *   const first = await startRedis({ appendonly: true, directory });
 *   await first.stop('SIGKILL');
 *   const second = await startRedis({ appendonly: true, directory, port: first.port });
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { findProgram, installPackage, Missing, mayInstall } from './system.mjs';

const ANSWER_MS = 20_000;
const START_MS = 60_000;
const STOP_MS = 30_000;
const PORT_ATTEMPTS = 5;

const launched = new Set();
let isGuarded = false;

/** REDIS_URL if it is set and answers, else a server of our own: `{ url, stop }`. */
export async function provideRedis() {
  const url = process.env.REDIS_URL;
  if (!url) {
    if (!findServer()) installServer();
    return startRedis();
  }
  await ping(url).catch((error) => {
    throw new Missing(`REDIS_URL (${withoutPassword(url)}) does not answer PING: ${error.message}`);
  });
  return { url, stop: async () => {} };
}

export function findServer() {
  return findProgram('redis-server', 'valkey-server');
}

function installServer() {
  const advice = 'set REDIS_URL to a server that the tests may use, or install redis-server or valkey-server';
  if (!mayInstall()) throw new Missing(`no Redis: ${advice}`);
  installPackage('redis-server');
  if (!findServer()) throw new Missing(`no redis-server on the PATH after its installation: ${advice}`);
}

/** Rejects with the reason why the server cannot be used. */
export function ping(url) {
  return ask(url, 'PING');
}

/** One command over a connection of its own, without retries. */
async function ask(url, ...command) {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: ANSWER_MS,
    commandTimeout: ANSWER_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let reason; // what connect() rejects with is "Connection is closed.": the event has the cause
  client.on('error', (error) => {
    reason ??= error;
  });
  try {
    await client.connect();
    return await client.call(...command);
  } catch (error) {
    throw reason ?? error;
  } finally {
    client.disconnect();
  }
}

/**
 * Starts a server on the loopback, on a free port unless `port` is given, and resolves once it answers.
 * Options: `port`, `directory` (kept; without it a temporary one that goes with the server), `appendonly` (true: log
 * every second), `password`, `maxmemory` (as in redis.conf: '8mb'), `policy` (of eviction), `args` (any others),
 * `sentinelFile` (it becomes a Sentinel of that configuration, which it rewrites; of the others only `port` and `password`).
 * Gives `{ url, port, directory, pid, stop(signal = 'SIGTERM') }`; stopping twice does no harm.
 */
export async function startRedis(options = {}) {
  const server = findServer();
  if (!server) throw new Missing('no redis-server or valkey-server on the PATH');
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'elsewise-redis-')));
  const discard = async () => {
    if (!options.directory) await rm(directory, { recursive: true, force: true });
  };
  try {
    for (let attempt = 1; ; attempt++) {
      const port = options.port ?? (await findFreePort());
      const child = launch(server, serverArguments({ ...options, port, directory }));
      const url = `redis://${options.password ? `:${encodeURIComponent(options.password)}@` : ''}127.0.0.1:${port}`;
      if (await isUp(child, url))
        return { url, port, directory, pid: child.process.pid, stop: stopper(child, discard) };
      await stopper(child, async () => {})('SIGKILL');
      // another process may have taken the free port in between
      if (options.port || attempt === PORT_ATTEMPTS) throw new Missing(`${server} did not start: ${child.lastLine()}`);
    }
  } catch (error) {
    await discard();
    throw error;
  }
}

function serverArguments({
  port,
  directory,
  appendonly,
  password,
  maxmemory,
  policy = 'noeviction',
  args = [],
  sentinelFile,
}) {
  const common = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory];
  const secret = password ? ['--requirepass', password] : [];
  if (sentinelFile) return [sentinelFile, '--sentinel', ...common, ...secret];
  return [
    ...[...common, ...secret, '--save', ''],
    ...['--appendonly', appendonly ? 'yes' : 'no', '--maxmemory-policy', policy],
    ...(maxmemory ? ['--maxmemory', String(maxmemory)] : []),
    ...args,
  ];
}

function launch(server, args) {
  const child = spawn(server, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const keep = (text) => {
    output = (output + text).slice(-4_096);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  child.on('error', keep);
  killWithUs(child);
  const ended = new Promise((resolve) => child.once('close', resolve)).then(() => launched.delete(child));
  return { process: child, ended, lastLine: () => output.trim().split('\n').at(-1) };
}

/** A test that fails before it stops its server leaves none behind, nor does a vitest that ends or loses its worker. */
function killWithUs(child) {
  launched.add(child);
  if (isGuarded) return;
  isGuarded = true;
  process.once('exit', killLaunched);
  process.once('disconnect', killLaunched);
  if (process.listenerCount('SIGTERM') > 0) return; // who handles the signal stops its servers as well
  process.once('SIGTERM', () => {
    killLaunched();
    process.kill(process.pid, 'SIGTERM');
  });
}

function killLaunched() {
  for (const child of launched) child.kill('SIGKILL');
}

/** By its process id: a stranger may answer on the port that our own server failed to get. */
async function isUp(child, url) {
  for (const since = Date.now(); isAlive(child.process) && Date.now() - since < START_MS; await sleep(20)) {
    const about = await ask(url, 'INFO', 'server').catch(() => '');
    if (about.split(/\r?\n/).includes(`process_id:${child.process.pid}`)) return true;
  }
  return false;
}

function isAlive(child) {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

function stopper(child, discard) {
  return async (signal = 'SIGTERM') => {
    if (isAlive(child.process)) child.process.kill(signal);
    const patience = setTimeout(() => child.process.kill('SIGKILL'), STOP_MS);
    await child.ended;
    clearTimeout(patience);
    await discard();
  };
}

export function findFreePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

function withoutPassword(url) {
  return url.replace(/\/\/[^@/]*@/, '//***@');
}
