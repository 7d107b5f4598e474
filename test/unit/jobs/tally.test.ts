import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ResultDocument } from '../../../src/documents/result-document.js';
import { countLines } from '../../../src/jobs/results/line-counts.js';
import {
  addTally,
  countPrediction,
  countResult,
  createTally,
  quantile,
  type Tally,
} from '../../../src/jobs/results/tally.js';

function result(cost: number, changes: readonly string[] = ['income']): ResultDocument {
  const counterfactual = {
    features: {},
    prediction: 'yes',
    score: 0.6,
    changes: changes.map((feature) => ({ feature, from: 1, to: 2 })),
    cost,
    distances: { l0: 1, l1: cost, l2: cost },
    solver: 'hyperplane',
    proof: { kind: 'optimal' as const, lowerBound: cost, gap: 0 },
  };
  return {
    schema: 'elsewise.result/v1',
    id: 'a',
    status: 'found',
    model: { name: 'm', version: null, digest: 'd' },
    policy: { name: 'p', digest: 'd' },
    target: 'yes',
    factual: null,
    counterfactuals: [counterfactual],
    attempts: [],
    degraded: false,
    seed: 0,
    elapsedMs: 0.5,
  };
}

function tallyOf(costs: readonly number[]): Tally {
  const tally = createTally();
  for (const cost of costs) countResult(tally, result(cost));
  return tally;
}

describe('a tally', () => {
  it('counts results', () => {
    const tally = createTally();
    countResult(tally, result(1, ['income', 'rent']));
    countResult(tally, { ...result(1), status: 'infeasible', counterfactuals: [], degraded: true });
    expect(tally.rows).toBe(2);
    expect([...tally.statuses]).toEqual([
      ['found', 1],
      ['infeasible', 1],
    ]);
    expect([...tally.changes.keys()]).toEqual(['income', 'rent']);
    expect([tally.degraded, tally.costs.count, tally.elapsedMs.sum]).toEqual([1, 1, 1]);
  });

  it('counts predictions, whatever the classes are called', () => {
    const tally = createTally();
    for (const label of ['__proto__', 'yes', '__proto__']) countPrediction(tally, label);
    expect([...tally.statuses]).toEqual([
      ['__proto__', 2],
      ['yes', 1],
    ]);
  });

  it('has no quantile of nothing', () => {
    expect(quantile(createTally().costs, 0.5)).toBeUndefined();
  });

  it('has exact quantiles of a few thousand costs, in any parts', () => {
    const costs = Array.from({ length: 4000 }, (_, k) => 74 + ((k * 7) % 13) / 10);
    const total = tallyOf([74]);
    expect(quantile(total.costs, 0.5)).toBe(74);
    addTally(total, tallyOf(costs));
    expect(quantile(total.costs, 0.5)).toBe([74, ...costs].sort((a, b) => a - b)[2000]);
    expect(total.costs.few).toHaveLength(4001);
    addTally(total, tallyOf(costs.slice(0, 100)));
    expect(total.costs.few).toBeUndefined();
    addTally(total, tallyOf([1]));
    expect(total.costs.few).toBeUndefined();
  });

  it('knows quantiles within 1 %, added up in any parts', () => {
    const cost = fc.oneof(fc.constant(0), fc.double({ min: 1e-9, max: 1e9, noNaN: true }));
    const q = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.array(cost, { minLength: 1 }), fc.array(cost), q, (some, others, share) => {
        const all = [...some, ...others].sort((a, b) => a - b);
        const exact = all[Math.max(0, Math.ceil(share * all.length) - 1)];
        const total = tallyOf(some);
        addTally(total, tallyOf(others));
        expect(total.rows).toBe(all.length);
        expect(Math.abs(quantile(total.costs, share)! - exact)).toBeLessThanOrEqual(0.0101 * exact);
      }),
    );
  });
});

describe('the lines of results', () => {
  it('are counted as the results were, whatever the features are called', () => {
    const features = { cost: 3, elapsedMs: 7, degraded: true, proof: '],"cost":1,"proof":{"kind":"x"', changes: 'a' };
    const best = { ...result(74).counterfactuals[0], features };
    const change = { feature: 'proof', from: '],"cost":5', to: '"elapsedMs":9' };
    const results: ResultDocument[] = [
      {
        ...result(1),
        factual: { features, prediction: 'no', score: 1e-7 },
        counterfactuals: [{ ...best, changes: [change] }],
      },
      { ...result(1.5e-7), degraded: true, elapsedMs: 12.5 },
      { ...result(1), status: 'already', counterfactuals: [], elapsedMs: 3 },
      {
        ...result(1),
        status: 'not-found',
        counterfactuals: [],
        reason: { code: 'effort', message: 'no time' } as never,
      },
    ];
    const [told, counted] = [createTally(), createTally()];
    for (const each of results) countResult(told, each);
    countLines(counted, Buffer.from(results.map((each) => `${JSON.stringify(each)}\n`).join('')));
    for (const key of ['rows', 'statuses', 'proofs', 'costs', 'elapsedMs', 'degraded', 'invalid', 'reasons'] as const)
      expect([key, counted[key]]).toEqual([key, told[key]]);
  });
});

describe('reasons', () => {
  const invalid = (path: string, message: string): ResultDocument => ({
    ...result(1),
    status: 'invalid',
    counterfactuals: [],
    reason: { code: 'invalid', path, message },
  });

  it('are added up by kind, with the words of the first row', () => {
    const [one, two] = [createTally(), createTally()];
    countResult(one, invalid('a', 'expected a finite number, got "x"'));
    countResult(two, invalid('a', 'expected a finite number, got "y"'));
    addTally(one, two);
    expect(one.invalid).toBe(2);
    expect([...one.reasons.values()]).toEqual([{ rows: 2, words: 'a: expected a finite number, got "x"' }]);
  });

  it('do not grow with the rows', () => {
    const tally = createTally();
    for (let row = 0; row < 5000; row++) countResult(tally, invalid(`field ${row}`, 'is missing'));
    expect(tally.reasons.size).toBeLessThan(1100);
    expect([...tally.reasons.values()].reduce((sum, { rows }) => sum + rows, 0)).toBe(5000);
  });
});
