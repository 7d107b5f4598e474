/**
 * The solvers stay within their budget: the limits of bench/goals.mjs, with room for the noise of a busy machine, and
 * growth with the size of the problem, which no machine changes. The built code is measured, in a process of its own.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildCase, listCases } from '../../../bench/problems.mjs';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';

interface Figures {
  label: string;
  solverUs: { median: number };
  solverTimesFasterThanPeer: number;
  provedShare: number;
}

interface Results {
  goals: { name: string; headroom: number }[];
  cases: Figures[];
}

/** How much slower than alone a process may run here. */
const NOISE = 3;

const RUN = fileURLToPath(new URL('../../../bench/run.mjs', import.meta.url));
const NORMS = ['l1', 'l2'];
const oneRow = (size: number) => NORMS.map((norm) => `plain logistic-regression d=${size} ${norm}`);
const TEN_CLASSES = NORMS.map((norm) => `plain softmax-regression 10 classes d=64 ${norm}`);

describe('the solvers', () => {
  let results: Results;

  beforeAll(() => {
    const wanted = [10, 30, 100].flatMap(oneRow).concat(TEN_CLASSES);
    const args = [RUN, '--json', ...wanted.flatMap((label) => ['--only', label])];
    results = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
    expect(results.cases.map(({ label }) => label).toSorted()).toEqual(wanted.toSorted());
  }, 120_000);

  const medianOf = (label: string) => results.cases.find((figures) => figures.label === label)!.solverUs.median;

  it('keep the limits for one linear row and for ten classes', () => {
    expect(results.goals.map(({ name }) => name)).toEqual([
      'solver median, one linear row, d = 30',
      'solver median, ten classes, d = 64',
    ]);
    for (const { name, headroom } of results.goals) expect(headroom, name).toBeGreaterThan(1 / NOISE);
  });

  it('need no more for one linear row than grows with the number of features', () => {
    for (const [i, label] of oneRow(100).entries()) {
      expect(medianOf(label) / medianOf(oneRow(10)[i]), label).toBeLessThan(10 * NOISE);
    }
  });

  it('are a hundred times faster than the fastest peer', () => {
    for (const { label, solverTimesFasterThanPeer } of results.cases) {
      expect(solverTimesFasterThanPeer, label).toBeGreaterThan(100 / NOISE);
    }
  });

  it('prove every answer', () => {
    expect(results.cases.filter(({ provedShare }) => provedShare < 1)).toEqual([]);
  });
});

describe('the problems', () => {
  const cases = listCases();

  it('have different names', () => {
    expect(new Set(cases.map(({ label }) => label)).size).toBe(cases.length);
  });

  it('are the same every time, and valid', () => {
    for (const benchCase of cases.filter(({ size }) => size === 10)) {
      const { model, policy, drawRow } = buildCase(benchCase);
      expect(JSON.stringify({ model, policy })).toBe(JSON.stringify({ ...buildCase(benchCase), drawRow: undefined }));
      expect(loadModel(model).space.features).toHaveLength(drawRow().length);
      expect(loadPolicy(policy).document.target).toEqual(policy.target);
    }
  });
});
