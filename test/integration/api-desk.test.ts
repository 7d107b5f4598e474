/** Short questions about models over HTTP: predictions, populations and faults of policies. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loanModel } from '../support/letters.js';
import { ApiWorld, exampleFeatures, POLICY_LINE } from './api-world.js';

let api: ApiWorld;
let features: Record<string, string | number | boolean>;

beforeAll(async () => {
  api = await ApiWorld.create({}, []);
  features = exampleFeatures(api.world);
});

afterAll(() => api.close());

describe('POST /v1/predictions', () => {
  it('gives the prediction and the score of each class, without a worker', async () => {
    const { status, json } = await api.call('POST', '/v1/predictions', {
      as: 'submit',
      body: { model: 'credit', features },
    });
    expect(status).toBe(200);
    const { prediction, scores } = json as { prediction: string; scores: Record<string, number> };
    expect(prediction).toBe('rejected');
    expect(scores.rejected + scores.approved).toBeCloseTo(1, 9);
    expect(scores.approved).toBeLessThan(0.6); // the threshold of the example
  });

  it('refuses a bad row with all its faults, and unknown models', async () => {
    const bad = { model: 'credit', features: { ...features, age: 'old', housing: 'castle' } };
    const { status, json } = await api.call('POST', '/v1/predictions', { body: bad });
    expect([status, json.code, json.path]).toEqual([422, 'bad-row', 'body.features.age']);
    expect((json.faults as { path: string }[]).map(({ path }) => path)).toEqual([
      'body.features.age',
      'body.features.housing',
    ]);
    expect((await api.call('POST', '/v1/predictions', { body: { model: 'none', features } })).status).toBe(404);
  });
});

describe('the population of a model', () => {
  it('has the bands of the model', async () => {
    const bands = [
      { name: 'A', from: 0.9 },
      { name: 'B', from: 0.7 },
    ];
    await api.call('PUT', '/v1/models/loans', { body: { ...loanModel(), decision: { bands } } });
    const path = '/v1/models/loans/versions/latest/population?rows=0';
    expect((await api.call('GET', path, { as: 'read' })).json).toMatchObject({ bands, thresholds: { approved: 0.6 } });
  });

  interface Told {
    features: { name: string }[];
    background: Record<string, { min?: number; max?: number; shares?: number[]; values?: Record<string, number> }>;
    rows: object[];
  }

  it('has shares that add up to one, and rows where they are asked for', async () => {
    const { status, json } = await api.call('GET', '/v1/models/credit/versions/latest/population?rows=5', {
      as: 'read',
    });
    expect(status).toBe(200);
    const { features: told, background, rows } = json as unknown as Told;
    expect(told.map(({ name }) => name)).toEqual(Object.keys(features));
    for (const { shares, values } of Object.values(background))
      expect((shares ?? Object.values(values!)).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
    expect(json.thresholds).toEqual({ rejected: 1 - 0.6, approved: 0.6 });
    expect(background.income.max).toBeGreaterThan(background.income.min!);
    expect(rows.length).toBeLessThanOrEqual(5);
    for (const row of rows) expect(Object.keys(row)).toEqual(Object.keys(features));
  });
});

describe('POST /v1/policy-checks', () => {
  const faultsOf = async (policy: unknown, model?: string) => {
    const { status, json } = await api.call('POST', '/v1/policy-checks', { as: 'read', body: { policy, model } });
    expect(status).toBe(200);
    return (json.faults as { path: string }[]).map(({ path }) => path);
  };

  it('finds none in a valid policy', async () => {
    expect(await faultsOf(JSON.parse(POLICY_LINE), 'credit')).toEqual([]);
  });

  it('tells all faults at once, those that only the model knows as well', async () => {
    const policy = { ...JSON.parse(POLICY_LINE), maxChanges: 0, features: { agee: {}, income: { allow: ['x'] } } };
    expect(await faultsOf(policy)).toEqual(['policy.maxChanges']);
    expect((await faultsOf(policy, 'credit')).sort()).toEqual([
      'policy.features.agee',
      'policy.features.income.allow',
      'policy.maxChanges',
    ]);
  });
});
