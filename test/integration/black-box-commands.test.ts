/** `explain`, `predict` and `models check` with a scorer in another process: right answers, common requests, and no row lost. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { blackBoxDocument, openDocument, ScorerProcess } from '../support/scorers/scorer-process.js';
import { start } from './cli-process.js';

const directory = mkdtempSync(join(tmpdir(), 'elsewise-black-box-'));
const at = (name: string) => join(directory, name);
/** In units of the MAD many answers would cost the same. */
const POLICY = { schema: 'elsewise.policy/v1', target: 'yes', cost: { weights: 'none' }, unbounded: true, count: 2 };
/** Three chunks: the first is written, the second is under way and the third waits when the scorer goes. */
const MANY = 1200;
let scorer: ScorerProcess;

beforeAll(async () => {
  scorer = await ScorerProcess.start();
  writeFileSync(at('policy.json'), JSON.stringify(POLICY));
  writeFileSync(at('single.json'), JSON.stringify({ ...POLICY, count: 1 }));
  writeFileSync(at('open.json'), JSON.stringify(openDocument()));
  writeRows('rows.csv', 120);
  writeRows('many.csv', MANY);
});
afterAll(async () => {
  await scorer.kill();
  rmSync(directory, { recursive: true, force: true });
});
beforeEach(() => scorer.behave({ latencyMs: 0, status: 200, fault: '', version: '7', failNext: 0 }));

function writeRows(name: string, count: number): void {
  const rows = Array.from({ length: count }, (_, k) => `r${k},${k % 5},${(k % 7) / 10},${'xyz'[k % 3]}`);
  writeFileSync(at(name), `id,a,b,c\n${rows.join('\n')}\n`);
}

function writeModel(spec: object, more: Record<string, unknown> = {}): string {
  writeFileSync(at('model.json'), JSON.stringify(blackBoxDocument(spec, more)));
  return at('model.json');
}

const http = () => ({ type: 'http', url: `${scorer.url}/score` });

function run(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return start(args, '', { ...scorer.environment, ...env }).finished;
}

const explain = (
  model: string,
  env?: NodeJS.ProcessEnv,
  threads = '1',
  input = 'rows.csv',
  policy = at('policy.json'),
) =>
  run(
    [
      ...['explain', '--model', model, '--policy', policy, '--threads', threads],
      ...['--input', at(input), '--output', at('out.ndjson')],
    ],
    env,
  );

/** A run of several chunks that takes a second or more. */
async function explainMany(env?: NodeJS.ProcessEnv) {
  rmSync(at('out.ndjson'), { force: true });
  await scorer.behave({ latencyMs: 20 });
  const model = writeModel(http(), { parameters: { batchSize: 200, concurrency: 1 } });
  return explain(model, env, '1', 'many.csv', at('single.json'));
}

async function firstResults(): Promise<void> {
  const size = () => statSync(at('out.ndjson'), { throwIfNoEntry: false })?.size ?? 0;
  await vi.waitUntil(() => size() > 0, { timeout: 60_000, interval: 20 });
}

interface Line {
  id: string;
  status: string;
  reason?: { code: string; message: string };
  counterfactuals: { changes: unknown; cost: number; proof: { kind: string } }[];
}

const results = (): Line[] =>
  readFileSync(at('out.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

const essence = (lines: readonly Line[]) =>
  lines.map(({ id, status, counterfactuals }) => ({
    id,
    status,
    answers: counterfactuals
      .map(({ changes, cost, proof }) => ({ changes, cost: cost.toFixed(9), proof: proof.kind }))
      // Solvers list answers of the same cost in different orders.
      .sort((one, other) =>
        `${one.cost}${JSON.stringify(one.changes)}` < `${other.cost}${JSON.stringify(other.changes)}` ? -1 : 1,
      ),
  }));

describe('elsewise explain', () => {
  it('finds by scores alone what the same model at hand finds', async () => {
    expect((await explain(at('open.json'))).code).toBe(0);
    const open = essence(results());
    expect((await explain(writeModel(http()))).code).toBe(0);
    expect(essence(results())).toEqual(open);
    const { requests, points, largest } = await scorer.counts();
    expect(requests).toBeLessThan(points / 20);
    expect(largest).toBeGreaterThan(100);
  });

  it('gives the same bytes whatever the latency, the threads and the sizes of requests', async () => {
    const bytes = () => readFileSync(at('out.ndjson'), 'utf8').replace(/"(ms|elapsedMs)":[^,}]+|"sha256:[^"]+"/g, '');
    await explain(writeModel(http()));
    const first = bytes();
    await scorer.behave({ latencyMs: 7 });
    const other = writeModel(http(), { parameters: { batchSize: 40, concurrency: 2 } });
    await explain(other, { ELSEWISE_SCORING_ROWS_AT_ONCE: '5' }, '2');
    expect(bytes()).toBe(first);
  });

  it('loses no row when the scorer is killed and comes back', async () => {
    const ended = explainMany();
    await firstResults();
    await scorer.kill();
    await new Promise((resolve) => setTimeout(resolve, 400));
    await scorer.comeBack();
    const { code } = await ended;
    expect(code).toBe(0);
    const lines = results();
    expect(lines).toHaveLength(MANY);
    expect(lines.filter(({ status }) => status === 'not-found')).toEqual([]);
    expect((await scorer.counts()).requests).toBeGreaterThan(0);
  });

  it('answers rows with a code when the scorer stays away', async () => {
    const ended = explainMany({ ELSEWISE_SCORING_PATIENCE_MS: '200' });
    await firstResults();
    await scorer.kill();
    const { code } = await ended;
    await scorer.comeBack();
    expect(code).toBe(0);
    const lines = results();
    expect(lines.map(({ id }) => id)).toEqual(Array.from({ length: MANY }, (_, k) => `r${k}`));
    const lost = lines.filter(({ status }) => status === 'not-found');
    expect(new Set(lost.map(({ reason }) => reason?.code))).toEqual(new Set(['scorer-unavailable']));
    expect(lost.length).toBeGreaterThan(0);
    expect(lines.some(({ status }) => status === 'found')).toBe(true);
  });

  it('answers only the rows with a code that need a score which is no number', async () => {
    await scorer.behave({ fault: 'nan-sometimes' });
    const policy = { schema: 'elsewise.policy/v1', target: 'no' };
    writeFileSync(at('policy.json'), JSON.stringify(policy));
    expect((await explain(writeModel(http()))).code).toBe(0);
    writeFileSync(at('policy.json'), JSON.stringify(POLICY));
    const lines = results();
    expect(lines).toHaveLength(120);
    const lost = lines.filter(({ reason }) => reason?.code === 'scorer-invalid');
    expect(lost.length).toBeGreaterThan(0);
    expect(lines.filter(({ status }) => status === 'already').length).toBeGreaterThan(0);
  });

  it.each([
    ['is down', { status: 503 }, 1, 'status 503', { ELSEWISE_SCORING_PATIENCE_MS: '0' }],
    ['misses its probes', { fault: 'swapped' }, 2, 'the source library gave', undefined],
    ['answers with other shapes', { fault: 'short' }, 2, 'scores for', undefined],
  ])(
    'ends with exit code and message before anything is written when the scorer %s',
    async (_, behaviour, code, words, env) => {
      const probes = { rows: [[0, 0, 'x']], scores: [[0.8859, 0.1141]], precision: 'float32' };
      const model = writeModel(http(), { probes });
      rmSync(at('out.ndjson'), { force: true });
      await scorer.behave(behaviour);
      const ended = await explain(model, env);
      expect(ended.code).toBe(code);
      expect(ended.stderr).toContain(words);
      expect(() => readFileSync(at('out.ndjson'))).toThrow();
    },
  );

  it('refuses a host that the settings do not list', async () => {
    const ended = await explain(writeModel(http()), { ELSEWISE_SCORING_HOSTS: 'other.example' });
    expect(ended).toMatchObject({ code: 2 });
    expect(ended.stderr).toContain('ELSEWISE_SCORING_HOSTS');
    expect((await scorer.counts()).requests).toBe(0);
  });
});

describe('elsewise predict', () => {
  it('writes the scores of all rows', async () => {
    const [model, input, output] = [writeModel(http()), at('rows.csv'), at('out.ndjson')];
    expect((await run(['predict', '--model', model, '--input', input, '--output', output])).code).toBe(0);
    const lines = readFileSync(output, 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(120);
    expect(JSON.parse(lines[0])).toMatchObject({
      id: 'r0',
      prediction: 'no',
      scores: { yes: expect.closeTo(0.114, 2) },
    });
    expect((await scorer.counts()).requests).toBeLessThan(10);
  });
});

describe('elsewise models check', () => {
  it('has the scorer answer for the probes', async () => {
    const probes = { rows: [[0, 0, 'x']], scores: [[0.8859, 0.1141]], precision: 'float32' };
    const good = await run(['models', 'check', writeModel(http(), { probes })]);
    expect(good).toMatchObject({ code: 0 });
    expect(good.stdout).toContain('1 passed');
    await scorer.behave({ fault: 'swapped' });
    const bad = await run(['models', 'check', writeModel(http(), { probes })]);
    expect(bad).toMatchObject({ code: 2 });
    expect(bad.stderr).toContain('model.probes.scores[0][0]');
  });
});
