/** Black boxes in workers and over the API: batches, events, volatile answers, metrics, and a scorer that goes away and comes back. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Producer } from '../../dist/jobs/producer.js';
import { blackBoxDocument, openDocument, ScorerProcess } from '../support/scorers/scorer-process.js';
import { type RunningWorker, sumOf, until, World, withoutTimes } from './queue-world.js';

const POLICY = { schema: 'elsewise.policy/v1', target: 'yes' } as const;
const PATIENCE = { ELSEWISE_SCORING_PATIENCE_MS: '20000' };
let world: World;
let scorer: ScorerProcess;
let worker: RunningWorker;
let producer: Producer;

beforeAll(async () => {
  world = await World.create();
  scorer = await ScorerProcess.start();
  producer = new Producer(world.store);
  writeFileSync(world.path('policy.json'), JSON.stringify(POLICY));
  await push('volatile', {});
  await push('pinned', { version: '7' });
  worker = await world.startWorkerWith({ ...scorer.environment, ...PATIENCE });
});
afterAll(async () => {
  await world.close();
  await scorer.kill();
});
beforeEach(() => scorer.behave({ latencyMs: 0, status: 200, fault: '', version: '7', failNext: 0 }));

async function push(name: string, more: object): Promise<void> {
  const spec = { type: 'http', url: `${scorer.url}/score`, ...more };
  writeFileSync(world.path(`${name}.json`), JSON.stringify(blackBoxDocument(spec, { name })));
  const { code, stderr } = await world.runWith(scorer.environment, 'models', 'push', world.path(`${name}.json`));
  if (code !== 0) throw new Error(stderr);
}

function writeRows(name: string, count: number): string {
  const rows = Array.from({ length: count }, (_, k) => `${name}-${k},${k % 5},${(k % 7) / 10},${'xyz'[k % 3]}`);
  writeFileSync(world.path(name), `id,a,b,c\n${rows.join('\n')}\n`);
  return world.path(name);
}

async function enqueue(model: string, input: string): Promise<string> {
  const { code, stdout, stderr } = await world.run(
    ...['enqueue', '--model', model, '--policy', world.path('policy.json'), '--input', input],
  );
  if (code !== 0) throw new Error(stderr);
  return stdout.trimEnd().split('\n').at(-1)!;
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
    const input = writeRows('rows.csv', 400);
    const output = world.path('explained.ndjson');
    const { code } = await world.runWith(
      scorer.environment,
      ...[
        'explain',
        '--model',
        'volatile@1',
        '--policy',
        world.path('policy.json'),
        '--input',
        input,
        '--output',
        output,
      ],
    );
    expect(code).toBe(0);
    expect(await world.results(await enqueue('volatile', input))).toBe(withoutTimes(readFileSync(output, 'utf8')));
  });

  it('loses no row when the scorer is killed and comes back in the middle', async () => {
    await scorer.behave({ latencyMs: 15 });
    const before = await worker.rows();
    const batch = await enqueue('volatile', writeRows('killed.csv', 3000));
    await until('the first rows', async () => (await worker.rows()) > before);
    await scorer.kill();
    await until(
      'an open breaker',
      async () => sumOf((await worker.get('/metrics')).text, 'elsewise_scorer_breaker_open') === 1,
    );
    await scorer.comeBack();
    const answers = await resultsOf(batch);
    expect(answers.map(({ id }) => id)).toEqual(Array.from({ length: 3000 }, (_, k) => `killed.csv-${k}`));
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
    expect(sumOf(text, 'elsewise_scorer_breaker_open')).toBe(0);
  });
});

describe('the API', () => {
  let address: string;
  let stop: () => void;
  beforeAll(async () => {
    const { child } = world.spawnWith(scorer.environment, 'serve', '--insecure-no-auth', '--port', '0');
    address = await new Promise((resolve) => {
      child.stdout!.on('data', (text) => resolve(/http:\S+/.exec(String(text))![0]));
    });
    stop = () => child.kill();
  });
  afterAll(() => stop());
  afterEach(() => scorer.behave({ fault: '' }));

  const put = (name: string, document: object) =>
    fetch(`${address}/v1/models/${name}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(document),
    });
  const probes = { rows: [[0, 0, 'x']], scores: [[0.8859, 0.1141]], precision: 'float32' };
  const documentOf = (name: string, url = `${scorer.url}/score`) =>
    blackBoxDocument({ type: 'http', url }, { name, probes });

  it('takes a model whose scorer gives the scores of the probes, and explains with it', async () => {
    expect((await put('posted', documentOf('posted'))).status).toBeLessThan(300);
    const body = JSON.stringify({ model: 'posted', policy: POLICY, features: { a: 1, b: 0, c: 'x' } });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${address}/v1/explanations?waitMs=30000`, { method: 'POST', headers, body });
    expect(await response.json()).toMatchObject({ status: 'found', model: { name: 'posted' } });
  });

  it('refuses a model whose scorer gives other scores', async () => {
    await scorer.behave({ fault: 'swapped' });
    const response = await put('posted', documentOf('posted'));
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ code: 'bad-probe' });
  });

  it.each(['http://169.254.169.254/latest', 'http://127.0.0.1:1/', 'http://localhost:6379/'])(
    'does not ask addresses for a caller: %s',
    async (url) => {
      const response = await put('posted', documentOf('posted', url));
      expect(response.status).toBe(422);
      expect(await response.json()).toMatchObject({ code: 'scorer-refused' });
    },
  );
});

it('the same model at hand gives the same statuses', async () => {
  writeFileSync(world.path('open.json'), JSON.stringify({ ...openDocument(), name: 'open' }));
  await world.run('models', 'push', world.path('open.json'));
  const input = writeRows('both.csv', 105);
  const [open, closed] = [
    await resultsOf(await enqueue('open', input)),
    await resultsOf(await enqueue('volatile', input)),
  ];
  expect(closed.map(({ status }) => status)).toEqual(open.map(({ status }) => status));
});
