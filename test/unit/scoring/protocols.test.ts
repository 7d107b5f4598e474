/** Every protocol against a real scorer process: the right scores, in one request, and a coded error for everything else. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inputOf, loadModel } from '../../../src/models/load.js';
import { readRecord, recordOf } from '../../../src/models/read-row.js';
import { openScorer } from '../../../src/scoring/open-scorer.js';
import type { PointScore } from '../../../src/scoring/point-scorer.js';
import { checkScorer } from '../../../src/scoring/probes.js';
import { blackBoxDocument, openDocument, ScorerProcess } from '../../support/scorers/scorer-process.js';
import { openSettings } from './settings.js';

let scorer: ScorerProcess;
beforeAll(async () => {
  scorer = await ScorerProcess.start();
});
afterAll(() => scorer.kill());
beforeEach(() => scorer.behave({ latencyMs: 0, status: 200, fault: '', version: '7', failNext: 0 }));

const ROWS = [
  { a: 0, b: 0, c: 'x' },
  { a: 4, b: 0.7, c: 'y' },
  { a: 2, b: 1, c: 'z' },
];
const here = loadModel(openDocument());

type ScorerSpec = Record<string, string>;
const SCORERS: Record<string, () => ScorerSpec> = {
  http: () => ({ type: 'http', url: `${scorer.url}/score` }),
  'http with columns': () => ({ type: 'http', url: `${scorer.url}/score`, rows: 'columns' }),
  'http with a version': () => ({ type: 'http', url: `${scorer.url}/score`, version: '7' }),
  mlflow: () => ({ type: 'mlflow', url: scorer.url }),
  'mlflow with a slash': () => ({ type: 'mlflow', url: `${scorer.url}/` }),
  'open-inference': () => ({ type: 'open-inference', url: scorer.url, model: 'few', output: 'probabilities' }),
  'open-inference with a version': () => ({ ...SCORERS['open-inference'](), modelVersion: '7' }),
  'open-inference by feature': () => ({ ...SCORERS['open-inference'](), model: 'named' }),
};

function load(spec: ScorerSpec, more: Record<string, unknown> = {}) {
  return loadModel(blackBoxDocument(spec, more));
}

async function ask(spec: ScorerSpec, more: Record<string, unknown> = {}, settings = openSettings(scorer)) {
  const model = load(spec, more);
  const opened = openScorer(model, settings)!;
  const values = new Float64Array(3);
  const inputs = ROWS.map((row) => {
    readRecord(model, recordOf(model, row), values);
    return inputOf(model, values);
  });
  try {
    return await opened.score(inputs);
  } finally {
    await opened.close?.();
  }
}

const codesOf = (scores: readonly PointScore[]) => scores.map((score) => ('code' in score ? score.code : 'ok'));

describe.each(Object.keys(SCORERS))('%s', (name) => {
  it('gives the scores of all rows in one request', async () => {
    const scores = await ask(SCORERS[name]());
    const { requests, points } = await scorer.counts();
    const expected = ROWS.map((row) => here.predict(row).scores.yes);
    for (const [k, score] of scores.entries()) expect((score as Float64Array)[1]).toBeCloseTo(expected[k], 6);
    expect(points).toBe(ROWS.length);
    expect(requests).toBe(name.startsWith('open-inference') ? 2 : 1);
  });

  it.each([
    ['fewer scores than rows', { fault: 'short' }, 'scorer-invalid'],
    ['text that is no JSON', { fault: 'html' }, 'scorer-invalid'],
    ['an answer that is too long', { fault: 'long' }, 'scorer-invalid'],
    ['a redirect', { status: 302 }, 'scorer-refused'],
    ['status 500', { status: 500 }, 'scorer-unavailable'],
    ['status 404', { status: 404 }, 'scorer-unavailable'],
  ])('fails with a code at %s', async (_, behaviour, code) => {
    await scorer.behave(behaviour);
    await expect(ask(SCORERS[name]())).rejects.toMatchObject({ code });
  });

  it.each(['hang', 'drip'])('fails in time where the answer does not come to its end: %s', async (fault) => {
    await scorer.behave({ fault });
    const failed = ask(SCORERS[name](), { parameters: { timeoutMs: 100, retries: 1 } });
    await expect(failed).rejects.toMatchObject({ code: 'scorer-unavailable' });
    expect((await scorer.counts()).requests).toBe(2);
  });

  it.each([
    ['null for every score', 'nan'],
    ['texts in the place of numbers', 'texts'],
    ['a class more', 'wide'],
    ['probabilities that do not add up', 'sum'],
  ])('fails the points at %s', async (_, fault) => {
    await scorer.behave({ fault });
    expect(codesOf(await ask(SCORERS[name]()))).toEqual(ROWS.map(() => 'scorer-invalid'));
  });

  it('fails only the points that have no number', async () => {
    await scorer.behave({ fault: 'nan-sometimes' });
    expect(codesOf(await ask(SCORERS[name]()))).toEqual(['ok', 'scorer-invalid', 'ok']);
  });

  it('passes a failure that passes', async () => {
    await scorer.behave({ failNext: 1 });
    expect(codesOf(await ask(SCORERS[name]()))).toEqual(['ok', 'ok', 'ok']);
  });

  it('passes the parity gate with the right probes only', async () => {
    const rows = ROWS.map(({ a, b, c }) => [a, b, c]);
    const scores = ROWS.map((row) => Object.values(here.predict(row).scores));
    const gate = async (probes: object) => {
      const model = load(SCORERS[name](), { probes });
      await checkScorer(model, openScorer(model, openSettings(scorer))!);
    };
    await gate({ rows, scores });
    await scorer.behave({ fault: 'swapped' });
    await expect(gate({ rows, scores })).rejects.toMatchObject({
      code: 'bad-probe',
      path: 'model.probes.scores[0][0]',
    });
  });

  it('is not asked where the settings do not list its host', async () => {
    const settings = openSettings(scorer, { hosts: ['other.example:80', '127.0.0.1'] });
    await expect(ask(SCORERS[name](), {}, settings)).rejects.toMatchObject({ code: 'scorer-refused' });
    expect((await scorer.counts()).requests).toBe(0);
  });
});

describe('versions', () => {
  it.each(['http with a version', 'open-inference with a version'])('%s: another version is refused', async (name) => {
    await scorer.behave({ version: '8' });
    await expect(ask(SCORERS[name]())).rejects.toMatchObject({ code: 'scorer-invalid' });
  });

  it('is checked in every answer, also after the model was opened', async () => {
    const model = load(SCORERS['open-inference with a version']());
    const opened = openScorer(model, openSettings(scorer))!;
    const input = Float64Array.of(1, 0, 1, 0, 0);
    expect(codesOf(await opened.score([input]))).toEqual(['ok']);
    await scorer.behave({ version: '8' });
    await expect(opened.score([input])).rejects.toMatchObject({ code: 'scorer-invalid' });
    await opened.close?.();
  });
});

describe('what a scorer may answer', () => {
  it('the number of the second class alone', async () => {
    await scorer.behave({ fault: 'second' });
    const [first] = (await ask(SCORERS.http())) as Float64Array[];
    expect(first[0] + first[1]).toBe(1);
  });

  it('names of classes where the outputs are labels', async () => {
    await scorer.behave({ fault: 'labels' });
    const scores = await ask(SCORERS.mlflow(), { parameters: { outputs: 'labels' } });
    expect(scores.map((score) => (score as Float64Array)[0])).toEqual([0, 1, 0]);
  });

  it('another schema is refused', async () => {
    await scorer.behave({ fault: 'schema' });
    await expect(ask(SCORERS.http())).rejects.toMatchObject({ code: 'scorer-invalid' });
  });

  it('shapes that lie are refused, in metadata and in answers', async () => {
    await scorer.behave({ fault: 'metadata' });
    await expect(ask(SCORERS['open-inference']())).rejects.toMatchObject({ code: 'scorer-invalid' });
    await scorer.behave({ fault: 'shape' });
    await expect(ask(SCORERS['open-inference']())).rejects.toMatchObject({ code: 'scorer-invalid' });
  });

  it('several outputs need a name', async () => {
    const spec = { type: 'open-inference', url: scorer.url, model: 'few' };
    await expect(ask(spec)).rejects.toThrow('label, probabilities');
  });
});

describe('a token', () => {
  it('is sent to its host only', async () => {
    const own = { [`127.0.0.1:${scorer.port}`]: 'right' };
    await ask(SCORERS.http(), {}, openSettings(scorer, { tokens: own }));
    expect((await scorer.counts()).authorization).toEqual(['Bearer right']);
    await ask(SCORERS.http(), {}, openSettings(scorer, { tokens: { 'other.example': 'wrong' } }));
    expect((await scorer.counts()).authorization).toEqual([]);
  });
});

it('features by name do not go with preprocessing', async () => {
  const preprocessing = [{ type: 'affine', matrix: [[1, 0, 0, 0, 0]], offset: [0] }];
  await expect(ask(SCORERS.http(), { preprocessing })).rejects.toMatchObject({
    code: 'bad-document',
    path: 'model.parameters.scorer.rows',
  });
});
