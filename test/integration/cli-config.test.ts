/** `elsewise config` as a person sees it, and a worker that takes what it says. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './cli-process.js';

const CLI = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(env: NodeJS.ProcessEnv, ...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [CLI, ...args], { env: { PATH: process.env.PATH, ...env } }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

async function values(env: NodeJS.ProcessEnv, ...args: string[]): Promise<Map<string, string>> {
  const { stdout } = await run(env, 'config', '--json', ...args);
  const rows = JSON.parse(stdout) as { entry: string; value: string; from: string }[];
  return new Map(rows.map(({ entry, value, from }) => [entry, `${value} from ${from}`]));
}

describe('config', () => {
  it('says what holds and where it comes from, without passwords', async () => {
    const file = join(temporaryFolder(), 'config.json');
    writeFileSync(file, JSON.stringify({ store: { keyPrefix: 'filed', queuePrefix: 'filed' } }));
    const env = { ELSEWISE_CONFIG: file, ELSEWISE_QUEUE_PREFIX: 'set', REDIS_URL: 'redis://me:hunter2@far:1' };
    const shown = await values(env);
    expect(shown.get('store.url')).toBe('redis://***@far:1 from REDIS_URL');
    expect(shown.get('store.keyPrefix')).toBe(`filed from ${file}`);
    expect(shown.get('store.queuePrefix')).toBe('set from ELSEWISE_QUEUE_PREFIX');
    expect(shown.get('worker.port')).toBe('9464 from default');
    const given = await values(env, '--redis', 'redis://near:2');
    expect(given.get('store.url')).toBe('redis://near:2 from option');
  });

  it('is a table for people, and points at variables that nobody reads', async () => {
    const { code, stdout, stderr } = await run(
      { ELSEWISE_WROKER_PORT: '1', REDIS_URL: 'redis://:hunter2@far' },
      'config',
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}worker\.port +9464 +default$/m);
    expect(stdout).not.toContain('hunter2');
    expect(stderr).toContain('did you mean "ELSEWISE_WORKER_PORT"?');
  });

  it.each([
    ['worker', '--queues', 'none'],
    ['serve', '--port', '0'],
  ])('has its misspelt variables told by %s, without those that Kubernetes sets', async (...args) => {
    const env = { ELSEWISE_WORKER_THREDS: '2', ELSEWISE_API_SERVICE_HOST: '10.0.0.1' };
    const { stderr } = await run(env, ...args);
    expect(stderr.match(/no entry has this variable.*/g)).toEqual([
      'no entry has this variable, did you mean "ELSEWISE_WORKER_THREADS"?',
    ]);
  });

  it('asks no Redis where the file of rows is missing', async () => {
    const { code, stderr } = await run(
      { REDIS_URL: 'redis://127.0.0.1:1' },
      'enqueue',
      '--model',
      'm',
      '--input',
      'none.csv',
    );
    expect(code).toBe(2);
    expect(stderr).toContain('none.csv');
  });

  it('refuses what does not fit, by the name of the variable', async () => {
    const { code, stdout, stderr } = await run({ ELSEWISE_WORKER_QUEUES: 'bulk,evnets' }, 'config');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('ELSEWISE_WORKER_QUEUES: worker.queues[1]');
  });
});

describe('worker', () => {
  it('refuses a bad setting before it does anything', async () => {
    const { code, stderr } = await run({ ELSEWISE_WORKER_THREADS: '0' }, 'worker');
    expect(code).toBe(2);
    expect(stderr).toContain('ELSEWISE_WORKER_THREADS');
  });

  it('looks for the Redis that the file of a secret names', async () => {
    const file = join(temporaryFolder(), 'redis-url');
    writeFileSync(file, 'redis://:hunter2@127.0.0.1:1\n');
    const { code, stderr } = await run({ REDIS_URL_FILE: file }, 'worker', '--port', '0');
    expect(code).toBe(3);
    expect(stderr).toContain('redis://127.0.0.1:1');
    expect(stderr).not.toContain('hunter2');
  });
});
