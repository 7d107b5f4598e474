/** Black boxes in workers and over the API: batches, events, volatile answers, metrics, and a scorer that goes away and comes back. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Producer } from '../../dist/jobs/producer.js';
import { openSource } from '../../dist/jobs/rows/streams.js';
import { blackBoxDocument, openDocument, ScorerProcess } from '../support/scorers/scorer-process.js';
import { type RunningWorker, sumOf, until, World, withoutTimes } from './queue-world.js';

const ONNX = fileURLToPath(new URL('../../examples/onnx', import.meta.url));
const POLICY = { schema: 'elsewise.policy/v1', target: 'yes' } as const;
/** Of many chunks: some are answered, some are under way and some wait when the scorer goes. */
const KILLED_ROWS = 400;
const PATIENCE = { ELSEWISE_SCORING_PATIENCE_MS: '20000' };
let world: World;
let scorer: ScorerProcess;
let worker: RunningWorker;
let producer: Producer;
/** Of the API. */
let address: string;

beforeAll(async () => {
  [world, scorer] = await Promise.all([World.create(), ScorerProcess.start()]);
  producer = new Producer(world.store);
  const env = { ...scorer.environment, ...PATIENCE, ELSEWISE_SCORING_MODEL_DIRECTORY: world.directory };
  [worker, address] = await Promise.all([world.startWorkerWith(env), startApi(env)]);
  await push('volatile', blackBoxDocument(scoreBy()));
  await push('pinned', blackBoxDocument(scoreBy({ version: '7' })));
});
afterAll(async () => {
  await world.close();
  await scorer.kill();
});
beforeEach(() => scorer.behave({ latencyMs: 0, status: 200, fault: '', version: '7', failNext: 0 }));

const scoreBy = (more: object = {}) => ({ type: 'http', url: `${scorer.url}/score`, ...more });

function startApi(env: NodeJS.ProcessEnv): Promise<string> {
  const { child } = world.spawnWith(env, 'serve', '--insecure-no-auth', '--port', '0');
  return new Promise((resolve) => {
    child.stdout!.on('data', (text) => resolve(/http:\S+/.exec(String(text))![0]));
  });
}

const put = (name: string, document: object) =>
  fetch(`${address}/v1/models/${name}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...document, name }),
  });

async function push(name: string, document: object): Promise<void> {
  const response = await put(name, document);
  if (response.status >= 300) throw new Error(await response.text());
}

function writeRows(name: string, count: number): string {
  const rows = Array.from({ length: count }, (_, k) => `${name}-${k},${k % 5},${(k % 7) / 10},${'xyz'[k % 3]}`);
  writeFileSync(world.path(name), `id,a,b,c\n${rows.join('\n')}\n`);
  return world.path(name);
}

async function enqueue(model: string, input: string, chunkRows?: number): Promise<string> {
  const { bytes: source, name } = await openSource(input);
  return (await producer.enqueueBatch({ source, name, model, policy: POLICY, chunkRows })).id;
}

interface Answer {
  readonly id: string;
  readonly status: string;
  readonly reason?: { readonly code: string };
  readonly factual: { readonly score: number } | null;
}

async function resultsOf(batch: string): Promise<Answer[]> {
  const lines = (await world.results(batch)).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

async function answerTo(id: string): Promise<Answer> {
  let answer: string | undefined;
  await until(`the answer to ${id}`, async () => {
    answer = await world.store.results.result(id);
    return answer !== undefined;
  });
  return JSON.parse(answer!);
}

const send = (id: string, model: string, a = 1, b = 0) =>
  producer.enqueueEvent({ id, model, policy: POLICY, features: { a, b, c: 'x' } });

describe('a batch', () => {
  it('has the results of explain', async () => {
    const input = writeRows('rows.csv', 120);
    const [policy, output] = [world.path('policy.json'), world.path('explained.ndjson')];
    writeFileSync(policy, JSON.stringify(POLICY));
    const [{ code }, batch] = await Promise.all([
      world.runWith(
        scorer.environment,
        ...['explain', '--model', 'volatile@1', '--policy', policy, '--input', input, '--output', output],
        ...['--threads', '1'],
      ),
      enqueue('volatile', input, 50),
    ]);
    expect(code).toBe(0);
    expect(await world.results(batch)).toBe(withoutTimes(readFileSync(output, 'utf8')));
  });

  it('loses no row when the scorer is killed and comes back in the middle', async () => {
    await scorer.behave({ latencyMs: 60 });
    const before = await worker.rows();
    const batch = await enqueue('volatile', writeRows('killed.csv', KILLED_ROWS), 40);
    await until('the first rows', async () => (await worker.rows()) > before);
    await scorer.kill();
    await until(
      'an open breaker',
      async () => sumOf((await worker.get('/metrics')).text, 'elsewise_scorer_breaker_open') === 1,
    );
    await scorer.comeBack();
    const answers = await resultsOf(batch);
    expect(answers.map(({ id }) => id)).toEqual(Array.from({ length: KILLED_ROWS }, (_, k) => `killed.csv-${k}`));
    expect(answers.filter(({ status }) => status === 'not-found')).toEqual([]);
  });

  it('answers rows with a code where the scorer gives no numbers, and goes on with the next batch', async () => {
    await scorer.behave({ fault: 'nan' });
    const answers = await resultsOf(await enqueue('volatile', writeRows('nan.csv', 50)));
    expect(answers).toHaveLength(50);
    expect(new Set(answers.map(({ reason }) => reason?.code))).toEqual(new Set(['scorer-invalid']));
    await scorer.behave({ fault: '' });
    const again = await resultsOf(await enqueue('volatile', writeRows('good.csv', 50)));
    expect(again.filter(({ status }) => status === 'not-found')).toEqual([]);
  });

  it('is solved anew where the scorer may have changed, and known where its version is in the digest', async () => {
    const input = writeRows('same.csv', 60);
    for (const [model, isAskedAgain] of [
      ['volatile', true],
      ['pinned', false],
    ] as const) {
      await resultsOf(await enqueue(model, input));
      const copy = writeRows('copy.csv', 60);
      await scorer.counts();
      await resultsOf(await enqueue(model, copy));
      expect((await scorer.counts()).points > 0).toBe(isAskedAgain);
    }
  });
});

describe('an event', () => {
  it('is answered, many of them in common requests', async () => {
    await scorer.behave({ latencyMs: 30 });
    const ids = Array.from({ length: 40 }, (_, k) => `many-${k}`);
    await Promise.all(ids.map((id, k) => send(id, 'volatile', k % 5)));
    const answers = await Promise.all(ids.map(answerTo));
    expect(answers.filter(({ status }) => !['found', 'already'].includes(status))).toEqual([]);
    const { requests, points } = await scorer.counts();
    expect(requests).toBeLessThan(points / 5);
  });

  it('gets the present scores of a volatile model, also for a row that was asked before', async () => {
    await send('first', 'volatile');
    const first = await answerTo('first');
    await scorer.behave({ fault: 'swapped' });
    await send('second', 'volatile');
    const second = await answerTo('second');
    expect(second.factual!.score).toBeCloseTo(1 - first.factual!.score, 9);
  });

  it('gets the known answer where the version is in the digest', async () => {
    await send('third', 'pinned');
    const third = await answerTo('third');
    await scorer.counts();
    await send('fourth', 'pinned');
    expect({ ...(await answerTo('fourth')), id: '' }).toEqual({ ...third, id: '' });
    expect((await scorer.counts()).requests).toBe(0);
  });

  it('is answered with a code when another version answers', async () => {
    await scorer.behave({ version: '8' });
    await send('other-version', 'pinned', 2, 0.9); // no batch has this row
    expect(await answerTo('other-version')).toMatchObject({ status: 'not-found', reason: { code: 'scorer-invalid' } });
  });
});

describe('metrics', () => {
  it('count requests, failures by kind, times and sizes', async () => {
    const { text } = await worker.get('/metrics');
    for (const name of ['requests_total', 'failures_total', 'request_seconds_count', 'batch_points_count'])
      expect(sumOf(text, `elsewise_scorer_${name}`)).toBeGreaterThan(0);
    expect(text).toContain(`elsewise_scorer_failures_total{scorer="127.0.0.1:${scorer.port}",kind="version"}`);
    expect(text).toContain(`elsewise_scorer_failures_total{scorer="127.0.0.1:${scorer.port}",kind="number"}`);
    expect(sumOf(text, 'elsewise_scorer_breaker_open')).toBe(0);
  });

  it('count ONNX files together', async () => {
    copyFileSync(`${ONNX}/model.onnx`, world.path('model.onnx'));
    await push('network', JSON.parse(readFileSync(`${ONNX}/model.json`, 'utf8')));
    const features = { age: 34, income: 1640, debt: 380, housing: 'free' };
    const policy = JSON.parse(readFileSync(`${ONNX}/policy.json`, 'utf8'));
    await producer.enqueueEvent({ id: 'network', model: 'network', policy, features });
    expect(await answerTo('network')).toMatchObject({ status: 'found' });
    const { text } = await worker.get('/metrics');
    expect(text).toMatch(/elsewise_scorer_requests_total\{scorer="onnx"\} [1-9]/);
    expect(text).toMatch(/elsewise_scorer_batch_points_count\{scorer="onnx"\} [1-9]/);
    expect(text).not.toContain('elsewise_scorer_failures_total{scorer="onnx"');
  });
});

describe('the API', () => {
  const probes = { rows: [[0, 0, 'x']], scores: [[0.8859, 0.1141]], precision: 'float32' };
  const documentOf = (url = `${scorer.url}/score`) => blackBoxDocument({ type: 'http', url }, { probes });

  it('takes a model whose scorer gives the scores of the probes, and explains with it', async () => {
    expect((await put('posted', documentOf())).status).toBeLessThan(300);
    const body = JSON.stringify({ model: 'posted', policy: POLICY, features: { a: 1, b: 0, c: 'x' } });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${address}/v1/explanations?waitMs=30000`, { method: 'POST', headers, body });
    expect(await response.json()).toMatchObject({ status: 'found', model: { name: 'posted' } });
  });

  it('refuses a model whose scorer gives other scores', async () => {
    await scorer.behave({ fault: 'swapped' });
    const response = await put('posted', documentOf());
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ code: 'bad-probe' });
  });

  it.each(['http://169.254.169.254/latest', 'http://127.0.0.1:1/', 'http://localhost:6379/'])(
    'does not ask addresses for a caller: %s',
    async (url) => {
      const response = await put('posted', documentOf(url));
      expect(response.status).toBe(422);
      expect(await response.json()).toMatchObject({ code: 'scorer-refused' });
    },
  );
});

it('the same model at hand gives the same statuses', async () => {
  await push('open', openDocument());
  const input = writeRows('both.csv', 105);
  const [open, closed] = [
    await resultsOf(await enqueue('open', input)),
    await resultsOf(await enqueue('volatile', input)),
  ];
  expect(closed.map(({ status }) => status)).toEqual(open.map(({ status }) => status));
});
