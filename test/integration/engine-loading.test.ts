/** The threads of a pool load an engine where a row needs it, once each, and never for the demo. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, it } from 'vitest';
import { type BulkJob, runBulk } from '../../dist/jobs/bulk/bulk.js';
import { SolverPool } from '../../dist/jobs/threads/pool.js';
import { loadModel } from '../../dist/models/load.js';
import { loadPolicy } from '../../dist/policy/policy.js';
import { MODEL, POLICY, rowsCsv, TREE } from './small-task.js';

const DEMO_ROWS = 200;
const PATIENT_MS = 60_000;

let pool: SolverPool;
afterEach(() => pool?.close());

const credit = (name: string): string =>
  readFileSync(new URL(`../../examples/credit/${name}`, import.meta.url), 'utf8');

async function explain(model: unknown, policy: unknown, csv: string): Promise<string> {
  const parts: Uint8Array[] = [];
  async function* bytes() {
    yield Buffer.from(csv);
  }
  const sink = { write: async (part: Uint8Array) => void parts.push(part), close: async () => {} };
  const job: BulkJob = {
    kind: 'explain',
    model: loadModel(model),
    policy: loadPolicy(policy),
    pool,
    input: { name: 'rows.csv', bytes: bytes(), size: undefined },
    output: { format: 'ndjson', header: '', open: async () => sink },
  };
  await runBulk(job);
  return Buffer.concat(parts)
    .toString()
    .replace(/"(ms|elapsedMs)":[^,}]*/g, '');
}

interface LateRun {
  readonly loadsBefore: number;
  readonly loads: number;
  /** Rows that were solved again. */
  readonly missed: number;
  readonly results: readonly string[];
}

const rows = Array.from({ length: 12 }, (_, k) => ({
  id: `r-${k}`,
  features: { income: 900 + 37 * k, age: 20 + k, city: k % 2 ? 'Köln' : 'Paris' },
}));

/** In a new thread. */
async function explainAlone(model: unknown, policy: unknown, isEarly: boolean): Promise<LateRun> {
  const file = new URL('./threads/late-engine.mjs', import.meta.url);
  const worker = new Worker(file, { workerData: { model, policy, rows, isEarly } });
  const [run] = await once(worker, 'message');
  await worker.terminate();
  return run;
}

it('a row that needs the engine gets the same bytes whenever the engine was loaded', async () => {
  const policy = { ...POLICY, features: {}, solvers: ['milp'], maxChanges: 1 };
  const late = await explainAlone(MODEL, policy, false);
  const early = await explainAlone(MODEL, policy, true);
  expect(late).toMatchObject({ loadsBefore: 0, loads: 1, missed: 1 });
  expect(early).toMatchObject({ loadsBefore: 1, loads: 1, missed: 0 });
  expect(late.results).toEqual(early.results);
  expect(late.results[0]).toContain('"solver":"milp"');
});

it('a plan that cannot need the engine does not load it', async () => {
  expect(await explainAlone(TREE, POLICY, true)).toMatchObject({ loadsBefore: 0, loads: 0, missed: 0 });
});

it(
  'a run of the demo loads no engine',
  async () => {
    pool = new SolverPool({ threads: 2 });
    const lines = credit('applicants.csv').split('\n');
    const csv = `${lines.slice(0, DEMO_ROWS + 1).join('\n')}\n`;
    const found = await explain(JSON.parse(credit('model.json')), JSON.parse(credit('policy.json')), csv);
    expect(found.trimEnd().split('\n')).toHaveLength(DEMO_ROWS);
    expect(pool.planUse()).toMatchObject({ plans: 2, engineLoads: 0 });
  },
  PATIENT_MS,
);

it(
  'a run whose solver needs the engine loads it once in each thread, with the same bytes',
  async () => {
    const policy = { ...POLICY, solvers: ['milp'] };
    const csv = rowsCsv(200);
    pool = new SolverPool({ threads: 2 });
    const together = await explain(MODEL, policy, csv);
    expect(pool.planUse().engineLoads).toBeGreaterThan(0);
    expect(await explain(MODEL, policy, csv)).toBe(together);
    const { engineLoads, plans } = pool.planUse();
    expect(engineLoads).toBeLessThanOrEqual(plans);
    await pool.close();
    pool = new SolverPool({ threads: 1 });
    for (const _ of [1, 2]) expect(await explain(MODEL, policy, csv)).toBe(together);
    expect(pool.planUse().engineLoads).toBe(1);
  },
  PATIENT_MS,
);
