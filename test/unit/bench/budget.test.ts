/**
 * What the bench promises: a run measures what its goals are about and proves every answer, and a result that misses a goal is told
 * so. How fast a machine is is the bench's own business: `npm run bench`.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type JudgedGoal, judge } from '../../../bench/goals.mjs';
import { buildCase, listCases } from '../../../bench/problems.mjs';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';

interface Results {
  goals: JudgedGoal[];
  cases: { label: string; provedShare: number; solverUs: { median: number }; solverTimesFasterThanPeer: number }[];
}

const RUN = fileURLToPath(new URL('../../../bench/run.mjs', import.meta.url));
const NORMS = ['l1', 'l2'];
const oneRow = (size: number) => NORMS.map((norm) => `plain logistic-regression d=${size} ${norm}`);
const TEN_CLASSES = NORMS.map((norm) => `plain softmax-regression 10 classes d=64 ${norm}`);

describe('a run', () => {
  it('measures what is asked for, tells how far its goals are met, and proves every answer', () => {
    const wanted = [10, 30, 100].flatMap(oneRow).concat(TEN_CLASSES);
    const args = [RUN, '--json', ...wanted.flatMap((label) => ['--only', label])];
    const { cases, goals }: Results = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
    expect(cases.map(({ label }) => label).toSorted()).toEqual(wanted.toSorted());
    expect(cases.filter(({ provedShare }) => provedShare < 1)).toEqual([]);
    expect(goals.map(({ name }) => name)).toEqual([
      'solver median, one linear row, d = 30',
      'solver median, ten classes, d = 64',
      'one linear row, d = 100 over d = 10',
      'over the fastest peer, one linear row and ten classes',
    ]);
    for (const { headroom } of goals) expect(headroom).toBeGreaterThan(0);
  });
});

describe('the goals', () => {
  const measured = (size: number, medianUs: number, lead: number) => ({
    family: 'logistic-regression',
    policy: 'plain',
    norm: 'l1',
    classes: 2,
    size,
    solverUs: { median: medianUs },
    solverTimesFasterThanPeer: lead,
  });
  const missed = (cases: object[]) =>
    judge({ cases })
      .filter(({ headroom }) => headroom < 1)
      .map(({ name }) => name);

  it('are met by a solver that is within its limits', () => {
    expect(missed([measured(10, 1, 500), measured(30, 10, 200), measured(100, 10, 100)])).toEqual([]);
  });

  it.each([
    ['solver median, one linear row, d = 30', [measured(30, 11, 100)]],
    ['one linear row, d = 100 over d = 10', [measured(10, 1, 100), measured(100, 11, 100)]],
    ['over the fastest peer, one linear row and ten classes', [measured(100, 5, 99), measured(10, 1, 1000)]],
  ])('are missed by one that is not: %s', (name, cases) => {
    expect(missed(cases)).toEqual([name]);
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
