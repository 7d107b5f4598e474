import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { type BulkJob, runBulk } from '../../dist/jobs/bulk/bulk.js';
import type { ChunkTask } from '../../dist/jobs/threads/messages.js';
import { SolverPool } from '../../dist/jobs/threads/pool.js';
import { referToPlan } from '../../dist/jobs/threads/shared-documents.js';
import { loadModel } from '../../dist/models/load.js';
import { loadPolicy } from '../../dist/policy/policy.js';
import { unpackLines } from '../../dist/store/codec/result-block.js';
import type { ResultDocument } from '../../src/documents/result-document.js';
import { HEADER, MODEL, POLICY, rowLine } from './small-task.js';

const model = loadModel(MODEL);
const policy = loadPolicy(POLICY);
const file = (name: string) => new URL(`./threads/${name}.mjs`, import.meta.url).href;

const ENDED_EARLY = fileURLToPath(new URL('./pools-ended-early.mjs', import.meta.url));

let pool: SolverPool;
afterEach(() => pool?.close());

function openPool(name: string, threads = 2): SolverPool {
  pool = new SolverPool({ threads, file: file(name), heapLimitMb: 64 });
  return pool;
}

/** A line that the test thread treats according to its name. */
const named = (id: string): string => rowLine(1).replace('r-1', id);

async function explainLines(lines: readonly string[], rowLimitMs: number): Promise<ResultDocument[]> {
  const parts: Uint8Array[] = [];
  async function* bytes() {
    yield Buffer.from(`${HEADER}\n${lines.join('\n')}\n`);
  }
  const sink = { write: async (part: Uint8Array) => void parts.push(part), close: async () => {} };
  const job: BulkJob = {
    kind: 'explain',
    model,
    policy,
    pool,
    rowLimitMs,
    input: { name: 'rows.csv', bytes: bytes(), size: undefined },
    output: { format: 'ndjson', header: '', open: async () => sink },
  };
  const { tally } = await runBulk(job);
  const found = Buffer.concat(parts)
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as ResultDocument);
  expect(tally.rows).toBe(found.length);
  return found;
}

const outcome = ({ id, status, reason }: ResultDocument) => [id, status, reason?.code].filter(Boolean).join(' ');

/** Far more than a row or a full memory takes, also on a busy machine. */
const PATIENT_MS = 60_000;

describe('a thread that does not survive a row', () => {
  it.each([
    ['hang', 'overran', 2_000],
    ['exit', 'thread-lost', PATIENT_MS],
    ['memory', 'thread-lost', PATIENT_MS],
    ['throw', 'failed', PATIENT_MS],
  ])('(%s) costs that row and no other', async (misdeed, code, rowLimitMs) => {
    openPool('misbehaving');
    const lines = Array.from({ length: 200 }, (_, i) => rowLine(i + 1));
    lines.splice(77, 0, named(`${misdeed}-middle`), named(`${misdeed}-next`));
    lines.push(named(`${misdeed}-last`));
    const expected = lines.map((line) => {
      const id = line.split(',')[0];
      return id.startsWith(misdeed) ? `${id} not-found ${code}` : `${id} found`;
    });
    expect((await explainLines(lines, rowLimitMs)).map(outcome)).toEqual(expected);
  });

  it('is not given up while it gets no core', async () => {
    openPool('misbehaving', 1);
    const [row] = await explainLines([named('starve-1')], 1_000);
    expect(outcome(row)).toBe('starve-1 found');
  });
});

describe('a pool', () => {
  const task = (lines: readonly string[], changes: Partial<ChunkTask> = {}): ChunkTask => ({
    ...referToPlan(model, policy),
    kind: 'explain',
    layout: { format: 'csv', delimiter: ',', columns: 4, featureColumns: [1, 2, 3], idColumn: 0, targetColumn: -1 },
    output: 'ndjson',
    bytes: Buffer.from(`${lines.join('\n')}\n`),
    firstRow: 1,
    rows: lines.length,
    ...changes,
  });

  it('leaves the bytes of a task as they are, so that it can be run again', async () => {
    openPool('misbehaving');
    const twice = task([rowLine(1), rowLine(2)]);
    const first = await pool.run(twice, { rowLimitMs: PATIENT_MS });
    const second = await pool.run(twice, { rowLimitMs: PATIENT_MS });
    expect(second.tally.rows).toBe(2);
    expect(first.bytes.length).toBeGreaterThan(100);
  });

  it('gives the block that was asked for, also when a thread was lost over it', async () => {
    openPool('misbehaving', 1);
    const lines = [rowLine(1), named('exit-1'), rowLine(2)];
    const { bytes, digest } = await pool.run(task(lines, { isPacked: true }), { rowLimitMs: PATIENT_MS });
    const stored = await unpackLines({ data: bytes, digest: digest! }, 'the chunk');
    const results = stored.toString().trimEnd().split('\n');
    expect(results.map((line) => outcome(JSON.parse(line)))).toEqual([
      'r-1 found',
      'exit-1 not-found thread-lost',
      'r-2 found',
    ]);
  });

  it('says what is wrong with documents, with the code', async () => {
    openPool('misbehaving');
    const documents = referToPlan(model, loadPolicy({ ...POLICY, features: { nobody: { change: 'never' } } }));
    const run = pool.run(task([rowLine(1)], documents), { rowLimitMs: PATIENT_MS });
    await expect(run).rejects.toMatchObject({ code: 'bad-document', path: expect.stringContaining('nobody') });
  });

  it('gives up a chunk when asked to, and goes on with others', async () => {
    openPool('misbehaving', 1);
    const controller = new AbortController();
    const hanging = pool.run(task([named('hang-1')]), { rowLimitMs: PATIENT_MS, signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 300);
    await expect(hanging).rejects.toThrow('enough');
    expect((await pool.run(task([rowLine(1)]), { rowLimitMs: PATIENT_MS })).tally.rows).toBe(1);
  });

  it('keeps prepared plans within its budget, drops the one used longest ago, and says so', async () => {
    const under = (count: number) => task([rowLine(1)], referToPlan(model, loadPolicy({ ...POLICY, count })));
    openPool('misbehaving', 1);
    await pool.run(under(1), { rowLimitMs: PATIENT_MS });
    const planBytes = 2.5 * pool.planUse().bytes;
    await pool.close();
    pool = new SolverPool({ threads: 1, file: file('misbehaving'), planBytes });
    for (const count of [1, 2, 1, 3, 1, 2]) await pool.run(under(count), { rowLimitMs: PATIENT_MS });
    const { bytes, ...use } = pool.planUse();
    expect(use).toEqual({ plans: 2, hits: 2, misses: 4, evictions: 2, engineLoads: 0 });
    expect(bytes).toBeGreaterThan(planBytes / 2);
    expect(bytes).toBeLessThanOrEqual(planBytes);
    await pool.run(task([named('exit-1')]), { rowLimitMs: PATIENT_MS });
    expect(pool.planUse().misses).toBe(5); // the thread that answers for the lost one begins anew
    expect(pool.planUse().plans).toBe(1);
  });

  it('whose threads cannot even start says so', async () => {
    openPool('stillborn', 1);
    const run = pool.run(task([rowLine(1)]), { rowLimitMs: 1000 });
    await expect(run).rejects.toMatchObject({ code: 'thread-lost' });
  });

  it('can be closed while its threads are still loading', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [ENDED_EARLY]);
    expect(stdout.trim()).toBe('20'); // Node 20 used to abort the process: see src/jobs/threads/thread-start.cts
  });

  it('answers many chunks at a time', async () => {
    openPool('misbehaving', 2);
    const chunks = Array.from({ length: 20 }, (_, i) => task([rowLine(i)], { firstRow: i + 1 }));
    const answers = await Promise.all(chunks.map((chunk) => pool.run(chunk, { rowLimitMs: PATIENT_MS })));
    const ids = answers.map(({ bytes }) => JSON.parse(Buffer.from(bytes).toString()).id);
    expect(ids).toEqual(Array.from({ length: 20 }, (_, i) => `r-${i}`));
  });
});
