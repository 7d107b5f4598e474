/** A thread's work on chunks, without the thread: what it prepares, and how often. */
import { describe, expect, it } from 'vitest';
import { prepare } from '../../../src/explain/plan.js';
import { headerFeatures, readHeader } from '../../../src/jobs/rows/csv.js';
import type { ChunkAnswer, ChunkTask, RowLayout } from '../../../src/jobs/threads/messages.js';
import { type PlanReference, referToPlan } from '../../../src/jobs/threads/shared-documents.js';
import { createTaskRunner } from '../../../src/jobs/threads/task-runner.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { smallModel } from './small-model.js';

const model = smallModel();
const policyOf = (seed: number) => loadPolicy({ schema: 'elsewise.policy/v1', target: 'yes', seed });
const plan = referToPlan(model, policyOf(1));
const NDJSON: RowLayout = { format: 'ndjson' };
const JSON_ROW = '{"id":"a","features":{"age":30,"income":1000,"owner":false,"city":"Köln"}}\n';

const csv = (header: string): RowLayout => readHeader(header, ',', headerFeatures(model), 'rows.csv').layout;

/** The same row in several layouts. */
const LAYOUTS: readonly (readonly [RowLayout, string])[] = [
  [NDJSON, JSON_ROW],
  [csv('id,age,income,owner,city'), 'a,30,1000,false,Köln\n'],
  [csv('age,city,id,income,owner'), '30,Köln,a,1000,false\n'],
  [csv('id,owner,city,age,income'), 'a,false,Köln,30,1000\n'],
];

class CountingThread {
  prepared = 0;
  readonly #run;

  constructor(planBytes = 2 ** 26) {
    this.#run = createTaskRunner({
      prepare: (...args) => {
        this.prepared++;
        return prepare(...args);
      },
      now: () => 0,
      planBytes,
    });
  }

  run(task: Partial<ChunkTask> = {}, reference: PlanReference = plan): Promise<ChunkAnswer> {
    const bytes = Buffer.from(JSON_ROW);
    const progress = new Int32Array(new SharedArrayBuffer(4));
    const common = { kind: 'explain', layout: NDJSON, output: 'ndjson', bytes, firstRow: 1, rows: 1 } as const;
    return this.#run({ ...common, ...reference, ...task, progress });
  }
}

describe('a thread', () => {
  it('prepares a model and a policy once for all layouts and outputs', async () => {
    const thread = new CountingThread();
    const texts = new Set<string>();
    for (const [layout, line] of LAYOUTS)
      for (const output of ['ndjson', 'csv'] as const) {
        const { bytes } = await thread.run({ layout, output, bytes: Buffer.from(line) });
        texts.add(Buffer.from(bytes).toString());
      }
    expect(thread.prepared).toBe(1);
    expect(texts.size).toBe(2);
  });

  it('knows rows by the model that it explains them with', async () => {
    const thread = new CountingThread();
    const { keys, plans } = await thread.run({ kind: 'keys', isKeyed: true });
    expect(plans).toMatchObject({ plans: 1, misses: 1, hits: 0 });
    expect(thread.prepared).toBe(0);
    const explained = await thread.run({ isKeyed: true });
    expect(explained.plans).toMatchObject({ plans: 1, misses: 1, hits: 1 });
    expect(thread.prepared).toBe(1);
    expect(explained.keys).toEqual(keys);
  });

  it('has no key for a row that misses a value which the model does not impute', async () => {
    const bytes = Buffer.from('{"id":"a","features":{"age":30}}\n');
    const { keys } = await new CountingThread().run({ kind: 'keys', isKeyed: true, bytes });
    expect(keys!.every((byte) => byte === 0)).toBe(true);
  });

  it('prepares without a row, and says what is wrong with the policy', async () => {
    const thread = new CountingThread();
    const none = { bytes: new Uint8Array(), rows: 0 };
    expect((await thread.run(none)).tally.rows).toBe(0);
    await thread.run();
    expect(thread.prepared).toBe(1);
    const wrong = loadPolicy({ schema: 'elsewise.policy/v1', features: { nobody: { change: 'never' } } });
    await expect(thread.run(none, referToPlan(model, wrong))).rejects.toThrow('nobody');
  });

  it('drops the plan that was used longest ago when they take more than they may', async () => {
    const thread = new CountingThread();
    const { plans } = await thread.run();
    const tight = new CountingThread(2.5 * plans!.bytes);
    for (const seed of [1, 2, 3, 1]) await tight.run({}, referToPlan(model, policyOf(seed)));
    const use = (await tight.run()).plans!;
    expect(tight.prepared).toBe(4);
    expect(use).toMatchObject({ plans: 2, evictions: 2 });
    expect(use.bytes).toBeLessThanOrEqual(2.5 * plans!.bytes);
  });
});
