/** The example for Python against the API, as its page tells to run it. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXAMPLES, firstApplicant } from './example-row.js';
import { POLICY, World, withoutTimes } from './queue-world.js';

const run = promisify(execFile);
const PROGRAM = join(EXAMPLES, '..', 'dist', 'cli', 'main.js');

let world: World;
let api: ChildProcess;
let address: string;

beforeAll(async () => {
  world = await World.withModel();
  await world.startWorker();
  const { url, keyPrefix, queuePrefix } = world.store.settings;
  const own = { REDIS_URL: url, ELSEWISE_PREFIX: keyPrefix, ELSEWISE_QUEUE_PREFIX: queuePrefix };
  api = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0', '--insecure-no-auth'], {
    env: { ...process.env, ...own },
  });
  address = await new Promise<string>((resolve, reject) => {
    api.stdout!.on('data', (text) => resolve(/http:\/\/\S+/.exec(String(text))![0]));
    api.once('close', (code) => reject(new Error(`serve ended with ${code}`)));
  });
});

afterAll(async () => {
  api.kill('SIGTERM');
  await world.close();
});

function python(...args: string[]) {
  const program = process.env.PYTHON || 'python3';
  const script = join(EXAMPLES, 'python', 'elsewise_http.py');
  const fixed = ['--url', address, '--model', 'credit', '--policy', POLICY];
  return run(program, [script, ...fixed, ...args], { maxBuffer: 1 << 27 });
}

it('explains one row', async () => {
  const { stdout } = await python('--row', JSON.stringify(firstApplicant()));
  expect(JSON.parse(stdout)).toMatchObject({ schema: 'elsewise.result/v1', status: 'found' });
});

it('uploads a batch and prints the results in the order of the rows', async () => {
  const rows = world.writeRows('rows.csv', 1);
  const { stdout, stderr } = await python('--input', rows);
  const parsed = (text: string) =>
    withoutTimes(text)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  const isolated = (text: string) => parsed(text).map((result) => ({ ...result, attempts: [], elapsedMs: 0 }));
  expect(isolated(stdout)).toEqual(isolated(await world.explain(rows)));
  expect(stderr).toContain('3000 rows in batch');
});

it('explains a table by the Python package, in the order of its rows', async () => {
  const code = [
    'import elsewise, json, sys',
    'rows, url = json.loads(sys.argv[1]), sys.argv[2]',
    'lines = elsewise.results_of(rows, "credit", elsewise.Policy.load(sys.argv[3]), url=url)',
    'print(json.dumps(lines))',
  ].join('\n');
  const args = ['-c', code, JSON.stringify([firstApplicant(), firstApplicant()]), address, POLICY];
  const env = { ...process.env, PYTHONPATH: join(EXAMPLES, '..', 'python'), PYTHONDONTWRITEBYTECODE: '1' };
  const { stdout } = await run(process.env.PYTHON || '/usr/bin/python3', args, { env });
  expect(JSON.parse(stdout)).toMatchObject([
    { id: '0', status: 'found' },
    { id: '1', status: 'found' },
  ]);
});

it('says what the server refused', async () => {
  const refused = run(process.env.PYTHON || 'python3', [
    ...[join(EXAMPLES, 'python', 'elsewise_http.py'), '--url', address, '--model', 'credti', '--row', '{}'],
  ]);
  await expect(refused).rejects.toMatchObject({ stderr: expect.stringContaining('did you mean') });
});
