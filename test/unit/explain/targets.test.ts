/** A ladder of targets: each rung is answered as by a policy with this target alone. Bands in results, tables and the store. */
import { describe, expect, it } from 'vitest';
import type { ResultDocument } from '../../../src/documents/result-document.js';
import { createResultWriter } from '../../../src/jobs/results/result-lines.js';
import { createResultTable, tableLayout } from '../../../src/jobs/results/result-table.js';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { ResultColumns, ResultReader } from '../../../src/store/codec/result-columns.js';
import { lineOf } from '../../../src/store/codec/result-line.js';
import { checkShape, planOf } from '../../support/asking.js';
import { creditModel, creditPolicy, faultOf } from '../../support/documents.js';

const DECISION = {
  calibration: { type: 'isotonic', scores: [0.1, 0.3, 0.6, 0.9], values: [0.05, 0.4, 0.4, 0.95] },
  threshold: 0.5,
  bands: [
    { name: 'A', from: 0.9 },
    { name: 'B', from: 0.7 },
    { name: 'C', from: 0.4 },
  ],
};
const MODEL = { ...creditModel(), decision: DECISION };
const { target: _, ...BASE } = creditPolicy();
const TARGETS = ['A', 'B', 'C', 'approved', { from: 0.2, to: 0.45 }];
const PEOPLE = [300, 900, 1300, 1700, 2100, 3000].flatMap((income) =>
  ['own', 'rent'].map((housing) => ({ age: 41, income, housing })),
);

const timeless = ({ attempts: _a, elapsedMs: _e, ...rest }: ResultDocument) => rest;

async function answersOf(policy: object): Promise<ResultDocument[]> {
  const plan = await planOf(MODEL, policy);
  return PEOPLE.map((features, k) => checkShape(plan.explain({ id: `${k}`, features })));
}

describe('a ladder of targets', () => {
  it.each([1, 2])('is answered like one policy for each target, count %d', async (count) => {
    const ladder = await answersOf({ ...BASE, count, targets: TARGETS });
    for (const target of TARGETS) {
      const alone = await answersOf({ ...BASE, count, target });
      for (const [k, one] of alone.entries()) {
        const rung = ladder[k].targets!.find(
          (own) => own.target === target || JSON.stringify(own.target) === JSON.stringify(target),
        )!;
        expect(rung.status).toBe(one.status);
        expect(rung.reason).toEqual(one.reason);
        const own = ladder[k].counterfactuals.filter(
          (answer) => JSON.stringify(answer.target) === JSON.stringify(target),
        );
        expect(own.map(({ target: _t, ...answer }) => answer)).toEqual(one.counterfactuals);
        if (JSON.stringify(ladder[k].target) === JSON.stringify(target)) {
          expect(ladder[k].status).toBe(one.status);
          expect(ladder[k].factual).toEqual(one.factual);
        }
      }
    }
    const statuses = new Set(ladder.flatMap(({ targets }) => targets!.map(({ status }) => status)));
    expect([...statuses].sort()).toEqual(['already', 'found', 'infeasible'].sort());
    for (const { counterfactuals } of ladder) {
      const costs = counterfactuals.map(({ cost }) => cost);
      expect(costs).toEqual([...costs].sort((a, b) => a - b));
    }
  });

  it('gives way to the target of a row', async () => {
    const plan = await planOf(MODEL, { ...BASE, targets: ['A', 'B'] });
    const own = plan.explain({ id: '1', features: PEOPLE[0], target: 'C' });
    expect([own.target, own.targets]).toEqual(['C', undefined]);
  });

  it('says already where every rung is reached, and names the first rung', async () => {
    const plan = await planOf(MODEL, { ...BASE, targets: ['B', 'C'] });
    const result = plan.explain({ id: '1', features: { age: 90, income: 9000, housing: 'own' } });
    expect(timeless(result)).toMatchObject({ status: 'already', target: 'B', counterfactuals: [] });
    expect(result.targets!.map(({ status }) => status)).toEqual(['already', 'already']);
  });

  it('is refused beside a target, levers and a path, and with unknown or repeated rungs', async () => {
    const fault = (more: object) => faultOf(() => loadPolicy({ ...BASE, targets: ['A'], ...more }));
    expect(fault({ target: 'A' })).toMatchObject({ path: 'policy.targets' });
    expect(fault({ levers: { pay: ['income'] } })).toMatchObject({ path: 'policy.targets' });
    expect(fault({ path: { method: 'knn' } })).toMatchObject({ path: 'policy.targets' });
    expect(fault({ targets: ['A', 'A'] })).toMatchObject({ path: 'policy.targets[1]' });
    await expect(planOf(MODEL, { ...BASE, targets: ['A', 'D'] })).rejects.toMatchObject({ path: 'policy.targets[1]' });
  });

  it('holds when each answer is checked by itself against its own rung', async () => {
    const plan = await planOf(MODEL, { ...BASE, targets: TARGETS });
    for (const result of await answersOf({ ...BASE, targets: TARGETS })) {
      const { answers } = plan.recheck(result);
      expect(answers.map(({ fault }) => fault)).toEqual(result.counterfactuals.map(() => ''));
      expect(answers.map(({ written }) => written)).toMatchObject(
        result.counterfactuals.map(({ band, score }) => ({ band, score })),
      );
    }
  });
});

describe('bands', () => {
  it('are told of the row and of its answers', async () => {
    const [first] = await answersOf({ ...BASE, target: 'B' });
    expect(first.decision).toEqual({ threshold: 0.5, band: null, calibrated: true });
    expect(first.counterfactuals[0]).toMatchObject({ band: 'B' });
    expect(first.counterfactuals[0].score).toBeGreaterThanOrEqual(0.7);
  });

  it('survive the store byte by byte, alone and in a ladder', async () => {
    const columns = new ResultColumns();
    const results = [
      ...(await answersOf({ ...BASE, target: 'B' })),
      ...(await answersOf({ ...BASE, targets: TARGETS })),
    ];
    for (const result of results) columns.add(result);
    const reader = new ResultReader(columns.write());
    for (const result of results) {
      const next = reader.next();
      expect(typeof next === 'string' ? next : lineOf(next)).toBe(JSON.stringify(result));
    }
  });

  it('have columns in a table', async () => {
    const policy = loadPolicy({ ...BASE, targets: ['A', 'C'] });
    const table = createResultTable(tableLayout(loadModel(MODEL), policy));
    const names = table.columns.map(({ name }) => name);
    const [result] = await answersOf(policy.document);
    const cells = table
      .lines(result)
      .map((line) => ['target', 'band', 'newBand'].map((name) => line[names.indexOf(name)]));
    expect(cells).toEqual([
      ['C', null, 'C'],
      ['A', null, 'A'],
    ]);
    expect(createResultWriter).toBeDefined();
  });
});
