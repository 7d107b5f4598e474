/** The example of plausible answers: its commands run, its files keep what its README promises, on any number of threads. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { SolverPool } from '../../dist/jobs/threads/pool.js';
import { referToPlan } from '../../dist/jobs/threads/shared-documents.js';
import { loadModel } from '../../dist/models/load.js';
import { loadPolicy } from '../../dist/policy/policy.js';
import { unpackLines } from '../../dist/store/codec/result-block.js';
import { explainExample, resultsOf, temporaryFolder, withoutTimes } from './cli-process.js';

const EXAMPLE = fileURLToPath(new URL('../../examples/plausible/', import.meta.url));
const readJson = (name: string) => JSON.parse(readFileSync(join(EXAMPLE, name), 'utf8'));

const explain = (policy: string, threads?: number) => explainExample(EXAMPLE, { policy, threads });

describe('the example', () => {
  it('has the model that its generator writes', () => {
    const folder = temporaryFolder();
    execFileSync(process.execPath, [join(EXAMPLE, 'generate.mjs'), folder]);
    expect(JSON.parse(readFileSync(join(folder, 'model.json'), 'utf8'))).toEqual(readJson('model.json'));
  });

  it.each([
    ['policy-limit.json', 0.2, 0],
    ['policy-term.json', 0, 4],
    ['policy-both.json', 0.1, 2],
  ])('%s: answers above the share %d, with the weight %d, are optimal', async (policy, share, weight) => {
    const found = resultsOf(await explain(policy)).filter(({ status }) => status === 'found');
    expect(found.length).toBe(4);
    for (const { counterfactuals } of found) {
      const [{ cost, proof, plausibility, changes }] = counterfactuals;
      const price = (feature: string) => (feature === 'income' ? 0.01 : 0.02);
      const moves = changes.map(({ feature, from, to }) => price(feature) * Math.abs(Number(to) - Number(from)));
      const moved = moves.reduce((sum, move) => sum + move, 0);
      expect(cost).toBeCloseTo(moved + weight * (plausibility!.penalty ?? 0), 9);
      expect(cost - (plausibility!.term ?? 0)).toBeCloseTo(moved, 9);
      expect(plausibility!.answer).toBeGreaterThan(share);
      expect(proof.kind).toBe('optimal');
    }
  });

  it('gives the same bytes on one thread and on two', async () => {
    const [one, two] = await Promise.all([1, 2].map((threads) => explain('policy-both.json', threads)));
    expect(withoutTimes(readFileSync(two, 'utf8'))).toBe(withoutTimes(readFileSync(one, 'utf8')));
  });

  it('comes back from the columns of the store as the lines that it is', async () => {
    const pool = new SolverPool({ threads: 1 });
    const plan = referToPlan(loadModel(readJson('model.json')), loadPolicy(readJson('policy-both.json')));
    const line = { id: 'p', features: { income: 1500, monthlyDebt: 520, monthsAtJob: 40 } };
    const bytes = () => Buffer.from(`${JSON.stringify(line)}\n`);
    const task = {
      ...plan,
      kind: 'explain',
      layout: { format: 'ndjson' },
      output: 'ndjson',
      firstRow: 1,
      rows: 1,
    } as const;
    try {
      const answered = await pool.run({ ...task, bytes: bytes() }, { rowLimitMs: 60_000 });
      const stored = await pool.run({ ...task, bytes: bytes(), isPacked: true }, { rowLimitMs: 60_000 });
      const text = (sent: Uint8Array) => withoutTimes(Buffer.from(sent).toString());
      const unpacked = await unpackLines({ data: Buffer.from(stored.bytes), digest: stored.digest! }, 'it');
      expect(text(unpacked)).toBe(text(answered.bytes));
      expect(text(unpacked)).toContain('"term":');
    } finally {
      await pool.close();
    }
  });
});
