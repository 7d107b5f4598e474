/** The example of count, levers and paths: its commands run, its files keep what its README promises, on any number of threads. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChunkTask } from '../../dist/jobs/threads/messages.js';
import { SolverPool } from '../../dist/jobs/threads/pool.js';
import { graphsOf, type PlanReference, referToPlan } from '../../dist/jobs/threads/shared-documents.js';
import { loadModel } from '../../dist/models/load.js';
import { loadPolicy } from '../../dist/policy/policy.js';
import { unpackLines } from '../../dist/store/codec/result-block.js';
import { explainExample, readLines, resultsOf, temporaryFolder, withoutTimes } from './cli-process.js';

const EXAMPLE = fileURLToPath(new URL('../../examples/answers/', import.meta.url));
const readJson = (name: string) => JSON.parse(readFileSync(join(EXAMPLE, name), 'utf8'));
const model = readJson('model.json');

const explain = (policy: string, output: string, threads?: number) =>
  explainExample(EXAMPLE, { policy, output, threads });

describe('the example', () => {
  it('has the model that its generator writes', () => {
    const folder = temporaryFolder();
    execFileSync(process.execPath, [join(EXAMPLE, 'generate.mjs'), folder]);
    expect(JSON.parse(readFileSync(join(folder, 'model.json'), 'utf8'))).toEqual(model);
  });

  it('counts three ways', async () => {
    for (const { status, counterfactuals } of resultsOf(await explain('policy-count.json', 'count.ndjson')))
      if (status === 'found') expect(counterfactuals.length).toBe(3);
  });

  it('proves that housing alone changes no decision', async () => {
    const results = resultsOf(await explain('policy-levers.json', 'levers.ndjson'));
    const found = results.filter(({ status }) => status === 'found');
    expect(found.length).toBe(5);
    for (const { levers } of found) {
      expect(levers!.map(({ lever }) => lever)).toEqual(['work', 'debt', 'housing']);
      expect(levers![2].status).toBe('infeasible');
    }
    const [header, ...lines] = readLines(await explain('policy-levers.json', 'levers.csv'));
    expect(header).toContain(',changes,reason,lever,');
    const byWork = lines.find((line) => line.includes(',work,'))!;
    expect(byWork).toContain('income from 1450 to 2650');
    expect(byWork).toContain('by housing: no change that the policy allows leads to the target');
  });

  it('leads over real rows, on which nobody becomes younger', async () => {
    const results = resultsOf(await explain('policy-path.json', 'paths.ndjson'));
    const steps = results.flatMap(({ counterfactuals }) => counterfactuals.flatMap(({ path }) => path!.steps));
    expect(results.filter(({ status }) => status === 'found').length).toBe(5);
    expect(steps.length).toBeGreaterThan(8);
    for (const { sample, features, changes } of steps) {
      expect(Object.values(features)).toEqual(model.background.samples[sample]);
      expect(features.monthlyDebt).toBeLessThanOrEqual(1200);
      const aged = changes.find(({ feature }) => feature === 'age');
      if (aged) expect(aged.to).toBeGreaterThan(aged.from as number);
    }
  });

  it.each(['count', 'levers', 'path'])('gives the same bytes on one thread and on two: %s', async (name) => {
    const [one, two] = await Promise.all([1, 2].map((n) => explain(`policy-${name}.json`, 'out.ndjson', n)));
    const text = (path: string) => withoutTimes(readFileSync(path, 'utf8'));
    expect(text(two)).toBe(text(one));
  });
});

describe('results of threads', () => {
  let pool: SolverPool;
  beforeAll(() => {
    pool = new SolverPool({ threads: 2 });
  });
  afterAll(() => pool.close());

  const rows = readFileSync(join(EXAMPLE, 'applicants.csv'), 'utf8').trimEnd().split('\n').slice(1);
  const names = ['age', 'income', 'monthlyDebt', 'monthsAtJob', 'housing'];
  const lines = rows.map((row) => {
    const [id, ...values] = row.split(',');
    return `${JSON.stringify({ id, features: Object.fromEntries(names.map((name, f) => [name, values[f]])) })}\n`;
  });
  const taskOf = (plan: PlanReference, more: object): ChunkTask => ({
    ...plan,
    kind: 'explain',
    layout: { format: 'ndjson' },
    output: 'ndjson',
    bytes: Buffer.from(lines.join('')),
    firstRow: 1,
    rows: lines.length,
    ...more,
  });

  it.each(['levers', 'path'])(
    'come back from the columns of the store as the lines that they are: %s',
    async (name) => {
      const plan = referToPlan(loadModel(model), loadPolicy(readJson(`policy-${name}.json`)));
      const answered = await pool.run(taskOf(plan, {}), { rowLimitMs: 60_000 });
      const stored = await pool.run(taskOf(plan, { isPacked: true }), { rowLimitMs: 60_000 });
      const block = { data: Buffer.from(stored.bytes), digest: stored.digest! };
      const text = (bytes: Uint8Array) => withoutTimes(Buffer.from(bytes).toString());
      expect(text(await unpackLines(block, 'it'))).toBe(text(answered.bytes));
    },
  );

  it('share one graph, which a thread built, with the answers of a plan that built its own', async () => {
    const plan = referToPlan(loadModel(model), loadPolicy(readJson('policy-path.json')));
    const graphs = await pool.runDocument({ kind: 'graphs', model: plan.model, policy: plan.policy! });
    expect(graphs.length).toBe(1);
    for (const array of Object.values(graphs[0][1])) expect(array.buffer).toBeInstanceOf(SharedArrayBuffer);
    const progress = new Int32Array(new SharedArrayBuffer(64));
    expect(graphs).toEqual(graphsOf({ kind: 'graphs', model: plan.model, policy: plan.policy!, progress }));
    const own = await pool.run(taskOf(plan, {}), { rowLimitMs: 60_000 });
    const shared = await pool.run(taskOf({ ...plan, planKey: 'shared', graphs }, {}), { rowLimitMs: 60_000 });
    const text = (bytes: Uint8Array) => withoutTimes(Buffer.from(bytes).toString());
    expect(text(shared.bytes)).toBe(text(own.bytes));
    // What the main thread writes, the threads read: it is one memory.
    graphs[0][1].sparsity.fill(Infinity);
    const emptied = await pool.run(taskOf({ ...plan, planKey: 'emptied', graphs }, {}), { rowLimitMs: 60_000 });
    expect(Buffer.from(emptied.bytes).toString()).toContain('"code":"no-path"');
  });
});
