/** Threads see the trees of a model in the memory of whoever loaded it: of the main thread, or of a thread that has ended. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChunkTask, SharedModel } from '../../dist/jobs/threads/messages.js';
import { SolverPool } from '../../dist/jobs/threads/pool.js';
import { referToPlan, shareModel } from '../../dist/jobs/threads/shared-documents.js';
import { loadModel } from '../../dist/models/load.js';

const FEATURES = 10;
const DEPTH = 8;
const TREES = 400;
const MEGABYTE = 2 ** 20;

/** Complete trees: the split of a node is by its number, so that rows fall into different leaves. */
function completeTree(t: number) {
  const inner = 2 ** DEPTH - 1;
  const nodes = Array.from({ length: 2 * inner + 1 }, (_, n) => n);
  const isLeaf = (n: number) => n >= inner;
  return {
    feature: nodes.map((n) => (isLeaf(n) ? 0 : (n + t) % FEATURES)),
    threshold: nodes.map((n) => ((n * 7 + t * 3) % 20) / 20),
    left: nodes.map((n) => (isLeaf(n) ? -1 : 2 * n + 1)),
    right: nodes.map((n) => (isLeaf(n) ? -1 : 2 * n + 2)),
    value: nodes.map((n) => [((n * 13 + t) % 17) - 8]),
  };
}

const DOCUMENT = {
  schema: 'elsewise.model/v1',
  name: 'large',
  family: 'tree-ensemble',
  features: Array.from({ length: FEATURES }, (_, f) => ({ name: `f${f}`, type: 'continuous' })),
  parameters: { trees: Array.from({ length: TREES }, (_, t) => completeTree(t)), aggregation: 'sum', base: 1 },
};

const rowOf = (r: number) =>
  Object.fromEntries(DOCUMENT.features.map(({ name }, f) => [name, ((r * 31 + f * 11) % 20) / 20]));

let pool: SolverPool;
beforeEach(() => {
  pool = new SolverPool({ threads: 2 });
});
afterEach(() => pool.close());

const taskOf = (planKey: string, model: SharedModel, row: number): ChunkTask => ({
  kind: 'predict',
  planKey,
  model,
  layout: { format: 'ndjson' },
  output: 'ndjson',
  bytes: Buffer.from(`${JSON.stringify({ id: 'r', features: rowOf(row) })}\n`),
  firstRow: 1,
  rows: 1,
});

/** What both threads say: two at a time keep both busy. */
async function predictions(planKey: string, model: SharedModel, row: number): Promise<number[]> {
  const tasks = [1, 2].map(() => pool.run(taskOf(planKey, model, row), { rowLimitMs: 5000 }));
  return (await Promise.all(tasks)).map(({ bytes }) => JSON.parse(Buffer.from(bytes).toString()).prediction);
}

const buffersOf = ({ parts }: SharedModel) =>
  Object.values(parts.model!).flatMap((array) => (ArrayBuffer.isView(array) ? [array.buffer] : []));

const bytesOf = (model: SharedModel) => buffersOf(model).reduce((sum, { byteLength }) => sum + byteLength, 0);

describe('the trees of a model', () => {
  it('are the same numbers in the main thread and in all others', async () => {
    const model = loadModel(DOCUMENT);
    const { planKey, model: shared } = referToPlan(model);
    expect(await predictions(planKey, shared, 3)).toEqual(Array(2).fill(model.predict(rowOf(3)).prediction));
    model.model.forest!.value.fill(0.5);
    expect(await predictions(planKey, shared, 3)).toEqual(Array(2).fill(1 + TREES / 2));
  });

  it('outlive the thread that packed them', async () => {
    const loader = new SolverPool({ threads: 1 });
    const bytes = Buffer.from(JSON.stringify(DOCUMENT));
    const shared = await loader.runDocument({ kind: 'pack', bytes, digest: 'sha256:known', version: 3 });
    await loader.close();
    expect(buffersOf(shared).every((buffer) => buffer instanceof SharedArrayBuffer)).toBe(true);
    expect(shared.rest.byteLength).toBeLessThan(2000);
    const { prediction } = loadModel(DOCUMENT).predict(rowOf(5));
    expect(await predictions('packed', shared, 5)).toEqual([prediction, prediction]);
    (shared.parts.model!.value as Float64Array).fill(1);
    expect(await predictions('packed', shared, 5)).toEqual([1 + TREES, 1 + TREES]);
  });

  it('take no memory of their own in a thread, under however many keys it has them', async () => {
    const shared = shareModel(loadModel(DOCUMENT));
    const forestBytes = bytesOf(shared);
    expect(forestBytes).toBeGreaterThan(5 * MEGABYTE);
    await predictions('0', shared, 1);
    const before = process.memoryUsage().rss;
    for (let key = 1; key < 8; key++) await predictions(String(key), shared, 1);
    // Copies would be seven more in each of two threads.
    expect(process.memoryUsage().rss - before).toBeLessThan(7 * forestBytes);
  });
});

describe('a stored document', () => {
  it.each([
    ['a child that is none', { left: [9, -1, -1] }],
    ['leaves of another length', { value: [[1], [1, 2], [1]] }],
    ['no splits', { feature: 'none' }],
  ])('that is bad (%s) is refused as it is in this thread', async (_, change) => {
    const stump = {
      feature: [0, 0, 0],
      threshold: [0, 0, 0],
      left: [1, -1, -1],
      right: [2, -1, -1],
      value: [[1], [1], [1]],
    };
    const bad = { ...DOCUMENT, parameters: { trees: [stump, { ...stump, ...change }], aggregation: 'sum' } };
    let own: unknown;
    try {
      loadModel(bad);
    } catch (error) {
      own = error;
    }
    const { code, path, message } = own as { code: string; path: string; message: string };
    expect(path).toContain('model.parameters.trees[1].');
    const task = { kind: 'pack', bytes: Buffer.from(JSON.stringify(bad)), digest: '', version: 1 } as const;
    await expect(pool.runDocument(task)).rejects.toMatchObject({ code, path, message });
  });
});
