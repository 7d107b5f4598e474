/** What-if questions about a batch and comparisons over HTTP, and the command that asks the same of files. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ComparisonDocument } from '../../src/documents/comparison-document.js';
import { ApiWorld } from './api-world.js';
import { CREDIT, callHere, run, temporaryFolder, writeText } from './cli-process.js';

const ROWS = 60;
/** With limits that leave some people without an answer. */
const POLICY_LINE = readFileSync(join(CREDIT, 'policy.json'), 'utf8');
const HELPFUL = ['features.latePayments12m', 'maxChanges'];

let api: ApiWorld;
let rows: string;

beforeAll(async () => {
  api = await ApiWorld.create({ comparisonRows: 100 });
  const policy = JSON.parse(POLICY_LINE);
  await api.call('PUT', `/v1/policies/${policy.name}?reason=first`, { body: policy });
  rows = readFileSync(join(CREDIT, 'applicants.csv'), 'utf8')
    .split('\n')
    .slice(0, ROWS + 1)
    .join('\n');
  const head = `model=credit&policy=${policy.name}&batch=asked`;
  const sent = await api.call('POST', `/v1/batches?${head}`, { body: rows, headers: { 'content-type': 'text/csv' } });
  expect(sent.status).toBe(201);
  await api.call('GET', '/v1/batches/asked/results');
});

afterAll(() => api?.close());

const ask = async (path: string, body: object) => {
  const { status, json } = await api.call('POST', path, { as: 'read', body });
  return { status, json, compared: json as unknown as ComparisonDocument };
};

describe('POST /v1/batches/:id/what-if', () => {
  it('solves the people without an answer again', async () => {
    const { status, compared } = await ask('/v1/batches/asked/what-if', { allow: HELPFUL, by: ['housing'] });
    expect(status).toBe(200);
    const { read, gained, people, relaxations, words } = compared;
    expect(read.people).toBe(ROWS);
    expect([people, gained.of]).toEqual([read.withoutAnswer, read.withoutAnswer]);
    expect(gained.people).toBeGreaterThan(0);
    expect(relaxations.people).toBe(read.withoutAnswer);
    expect(words[0]).toMatch(/^The policy without features.latePayments12m, maxChanges: /);
  });

  it('draws a sample by its seed', async () => {
    const question = { merge: { maxChanges: 2 }, people: 'all', rows: 10, seed: 5 };
    const [one, same] = await Promise.all([1, 2].map(() => ask('/v1/batches/asked/what-if', question)));
    expect(one.compared.sample).toEqual({ people: 10, of: ROWS, seed: 5 });
    expect(same.json).toEqual(one.json);
  });

  it('refuses a question without a change, unknown entries, and a policy that does not fit', async () => {
    const refused = async (body: object) => {
      const { status, json } = await ask('/v1/batches/asked/what-if', body);
      return [status, json.path];
    };
    expect(await refused({})).toEqual([400, 'body']);
    expect(await refused({ allow: ['features.agee'] })).toEqual([422, 'change.allow']);
    expect(await refused({ merge: { features: { agee: { change: 'never' } } } })).toEqual([
      422,
      'policy.features.agee',
    ]);
    expect((await ask('/v1/batches/none/what-if', { allow: ['maxChanges'] })).status).toBe(404);
  });
});

describe('POST /v1/comparisons', () => {
  it('finds the same as the command for the same rows', async () => {
    const before = { model: 'credit', policy: JSON.parse(POLICY_LINE) };
    const { status, compared } = await ask('/v1/comparisons', { rows, before, after: { merge: { maxChanges: 2 } } });
    expect(status).toBe(200);
    const folder = temporaryFolder();
    const [input, merge, output] = [
      writeText(folder, 'rows.csv', rows),
      writeText(folder, 'merge.json', { maxChanges: 2 }),
      join(folder, 'out.json'),
    ];
    const [model, policy] = ['model.json', 'policy.json'].map((name) => join(CREDIT, name));
    const files = ['--model', model, '--policy', policy, '--input', input, '--merge', merge, '--output', output];
    const { code, stdout } = await run(['compare', ...files, '--quiet']);
    expect(code).toBe(0);
    const told = JSON.parse(readFileSync(output, 'utf8')) as ComparisonDocument;
    for (const key of ['transitions', 'gained', 'lost', 'cost', 'costHistogram', 'predictions', 'words'] as const)
      expect(compared[key]).toEqual(told[key]);
    expect(told.lost.people + told.cost.dearer.people).toBeGreaterThan(0);
    expect(stdout).toContain(told.words[1]);
  });

  it('takes the rows of a batch, and refuses too many rows', async () => {
    const { text } = await api.call('GET', '/v1/batches/asked/rows?rows=7&seed=2', { as: 'read' });
    expect(text.trim().split('\n').length).toBe(7);
    const before = { model: 'credit', policy: 'retail-credit' };
    const { compared } = await ask('/v1/comparisons', { rows: text, before, after: {} });
    expect([compared.people, compared.gained.people, compared.lost.people]).toEqual([7, 0, 0]);
    const many = text.repeat(20);
    expect((await ask('/v1/comparisons', { rows: many, before, after: {} })).status).toBe(413);
  });

  it('keeps the reason of a version', async () => {
    const { json } = await api.call('GET', '/v1/policies/retail-credit', { as: 'read' });
    expect((json.policies as { reason?: string }[])[0].reason).toBe('first');
  });
});

describe('elsewise compare', () => {
  const [model, policy] = ['model.json', 'policy.json'].map((name) => join(CREDIT, name));

  it('asks of results, and compares models on rows that are read twice', async () => {
    const folder = temporaryFolder();
    const input = writeText(folder, 'rows.csv', rows);
    const output = join(folder, 'results.ndjson');
    const files = ['--model', model, '--policy', policy];
    expect(await run(['explain', ...files, '--input', input, '--output', output, '--quiet'])).toMatchObject({
      code: 0,
    });
    const asked = await run(['compare', output, ...files, '--allow', HELPFUL.join(), '--quiet']);
    expect(asked).toMatchObject({ code: 0, stdout: expect.stringMatching(/people without an answer gain one/) });
    const other = writeText(folder, 'other.json', {
      ...JSON.parse(readFileSync(model, 'utf8')),
      description: 'the same numbers',
    });
    const models = await run(['compare', ...files, '--with-model', other, '--input', input, '--quiet']);
    expect(models.code).toBe(0);
    expect(models.stdout).toContain('Nobody loses an answer.');
    expect(models.stdout).not.toContain('The prediction for the row as it is differs');
  });

  it.each([
    [['--input', 'rows.csv'], 'no change is named'],
    [['--allow', 'maxChanges'], 'give either RESULTS or --input FILE'],
    [['--input', 'x', '--with-policy', 'p', '--allow', 'maxChanges'], 'leave out --allow and --merge'],
    [['--input', '-', '--with-model', 'm'], 'its rows are read twice'],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await callHere(['compare', '--model', model, '--policy', policy, ...args], {});
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
