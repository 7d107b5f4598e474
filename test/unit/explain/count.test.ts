/**
 * `count` k, against trying everything: the k cheapest answers that change pairwise different sets of features. Where there are fewer
 * sets, each further answer is the cheapest one that is far from all before.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPlan } from '../../../src/explain/plan.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { answersOf, ask, clock, planOf } from '../../support/asking.js';
import { allAnswers, cheapestBySet } from '../../support/brute-force.js';
import { booleanPart, boundedPart, categoryPart, question } from '../../support/questions.js';
import { fewValues, opaque } from '../../support/remote-models.js';
import {
  changedNames,
  costOf,
  faultsOf,
  isOneHot,
  numberOf,
  type Question,
  type Row,
  reaches,
} from '../../support/second-opinion.js';

const POLICY = { schema: 'elsewise.policy/v1', target: 'yes' };
const part = fc.oneof({ weight: 2, arbitrary: boundedPart }, booleanPart, categoryPart);

/** In some feature the categories differ, or one change is at least twice the other, or they go opposite ways. */
function areFarApart({ features, row }: Question, a: Row, b: Row): boolean {
  return features.some((feature) => {
    if (isOneHot(feature)) return a[feature.name] !== b[feature.name];
    const [here, one, other] = [row, a, b].map((at) => numberOf(feature, at[feature.name]));
    const [small, large] = [one - here, other - here].sort((x, y) => Math.abs(x) - Math.abs(y));
    return large !== 0 && (small * large < 0 || 2 * Math.abs(small) <= Math.abs(large) * (1 + 1e-9));
  });
}

const keyOf = ({ features, row }: Question, answer: Row) => changedNames(features, row, answer).join();

const differ = (asked: Question, a: Row, b: Row) => keyOf(asked, a) !== keyOf(asked, b) || areFarApart(asked, a, b);

async function compare(asked: Question): Promise<void> {
  const all = allAnswers(asked);
  const sets = cheapestBySet(all).slice(0, asked.count);
  const result = await ask(asked);
  const answers = answersOf(result);
  for (const [k, answer] of answers.entries()) {
    expect(faultsOf(asked, answer)).toEqual([]);
    expect(result.counterfactuals[k].cost).toBeCloseTo(costOf(asked, asked.row, answer), 9);
  }
  const isFirst = answers.map((answer, k) => answers.findIndex((a) => keyOf(asked, a) === keyOf(asked, answer)) === k);
  const taken = answers.filter((_, k) => isFirst[k]);
  expect(taken.map((answer) => costOf(asked, asked.row, answer).toFixed(6))).toEqual(
    sets.map(({ cost }) => cost.toFixed(6)),
  );
  for (const answer of answers.filter((_, k) => !isFirst[k])) {
    const left = all.filter(({ row }) => taken.every((one) => differ(asked, one, row)));
    expect(costOf(asked, asked.row, answer)).toBeCloseTo(Math.min(...left.map(({ cost }) => cost)), 6);
    expect(taken.every((one) => differ(asked, one, answer))).toBe(true);
    taken.push(answer);
  }
  if (taken.length < asked.count!)
    expect(all.filter(({ row }) => taken.every((one) => differ(asked, one, row)))).toEqual([]);
}

describe('on small discrete questions', () => {
  it.each([2, 3, 8])('the %d answers are those that brute force finds: by set, then far apart', async (count) => {
    const arbitrary = question({ part, most: 4, capped: true, constraints: 1 })
      .filter((asked) => !reaches(asked, asked.row) && allAnswers(asked).length > 1)
      .map((asked) => ({ ...asked, count }));
    await fc.assert(fc.asyncProperty(arbitrary, compare), { seed: Number(process.env.FC_SEED ?? 11), numRuns: 60 });
  });
});

describe('with continuous features', () => {
  const asked: Question = {
    family: 'hyperplane',
    features: ['a', 'b', 'c'].map((name) => ({ name, type: 'continuous' as const })),
    weights: [[1, 2, 4]],
    bias: [-8],
    target: 1,
    row: { a: 0, b: 0, c: 0 },
    rules: { a: { max: 100 }, b: { max: 100 }, c: { max: 1 } },
    norm: 'l1',
    prices: { a: 1, b: 1, c: 1 },
    constraints: [],
    margin: 1,
    count: 3,
  };

  it('the answers change different sets, each as cheaply as it can', async () => {
    // 9 units are needed: c gives 4 for 1, then b 5 for 2.5 (set bc, 3.5); b alone 4.5; c then a 5 for 5 (set ac, 6)
    const result = await ask(asked);
    expect(result.counterfactuals.map(({ changes }) => changes.map(({ feature }) => feature).join(''))).toEqual([
      'bc',
      'b',
      'ac',
    ]);
    [3.5, 4.5, 6].forEach((cost, k) => {
      expect(result.counterfactuals[k].cost).toBeCloseTo(cost, 6);
    });
  });

  it('answers that are far apart follow where there are no more sets', async () => {
    const result = await ask({ ...asked, count: 9 });
    const answers = answersOf(result);
    expect(answers.length).toBe(9);
    const sets = answers.map((answer) => keyOf(asked, answer));
    expect([...new Set(sets)].slice(0, 4)).toEqual(['b,c', 'b', 'a,c', 'a']);
    expect(new Set(sets).size).toBeLessThan(9);
    for (const [k, answer] of answers.entries())
      expect(answers.slice(0, k).every((one) => differ(asked, one, answer))).toBe(true);
    const costs = result.counterfactuals.map(({ cost }) => cost);
    expect([...costs].sort((x, y) => x - y)).toEqual(costs);
  });
});

describe('with decimals, whose rounding leaves a gap', () => {
  it('the bound of the cheapest answer speaks of all answers, also of those near a dearer one', async () => {
    // 6.25 a² + (b - 1)²  s.t.  a - 0.2 b <= -1.875,  b whole: the optimum is b = 3, a = -1.275
    const model = {
      schema: 'elsewise.model/v1',
      name: 'm',
      family: 'linear-regression',
      features: [
        { name: 'a', type: 'continuous' },
        { name: 'b', type: 'continuous', decimals: 0 },
      ],
      parameters: { weights: [1.6, -0.32], bias: 0 },
    };
    const cost = { norm: 'l2', weights: { a: 6.25, b: 1 } };
    const policy = { ...POLICY, target: { to: -3 }, cost, features: { b: { maxIncrease: 5 } }, count: 3 };
    const { counterfactuals } = (await planOf(model, policy)).explain({ id: 'r', features: { a: 0, b: 1 } });
    const optimum = 6.25 * 1.275 ** 2 + 4;
    expect(counterfactuals.length).toBe(3);
    expect(counterfactuals[0].proof.lowerBound).toBeLessThanOrEqual(optimum * (1 + 1e-9));
    expect(counterfactuals[0].cost).toBeGreaterThanOrEqual(optimum * (1 - 1e-9));
  });
});

describe('of a model that only scores', () => {
  it('several answers are found: different sets first, then far apart', () => {
    const plan = createPlan(opaque(fewValues()), loadPolicy({ ...POLICY, count: 6 }), clock);
    const { counterfactuals } = plan.explain({ id: 'r', features: { a: 1, b: 0.5, c: 'x' } });
    expect(counterfactuals.length).toBe(6);
    const sets = counterfactuals.map(({ changes }) => changes.map(({ feature }) => feature).join());
    expect(new Set(sets).size).toBeGreaterThan(2);
    expect(new Set(counterfactuals.map(({ features }) => JSON.stringify(features))).size).toBe(6);
  });

  it('so are they where the search is cut short by its effort', () => {
    const policy = loadPolicy({ ...POLICY, count: 3, solvers: ['nearest'], effort: 400 });
    const plan = createPlan(opaque(fewValues()), policy, clock);
    const { counterfactuals } = plan.explain({ id: 'r', features: { a: 1, b: 0.5, c: 'x' } });
    expect(counterfactuals.length).toBe(3);
    for (const { proof } of counterfactuals) expect(proof.kind).toBe('heuristic');
  });
});

describe('answers far apart on decimals', () => {
  const model = {
    schema: 'elsewise.model/v1',
    name: 'm',
    family: 'logistic-regression',
    features: [{ name: 'x', type: 'continuous', decimals: 2, min: -1, max: 1 }],
    classes: ['a', 'b'],
    parameters: { weights: [1], bias: 0.003 },
  };

  /** Changes in hundredths: the smallest, then each time the smallest that is at least twice the one before. */
  const expected = (cents: number, count: number): number[] => {
    const changes = [cents + 1];
    while (changes.length < count && 2 * changes.at(-1)! <= cents + 100) changes.push(2 * changes.at(-1)!);
    return changes;
  };

  it('are all there, each at twice the change of the one before', async () => {
    const plan = await planOf(model, { schema: 'elsewise.policy/v1', target: 'a', count: 6 });
    for (let cents = 0; cents <= 60; cents++) {
      const { counterfactuals } = plan.explain({ id: 'r', features: { x: cents / 100 } });
      const found = counterfactuals.map(({ features }) => cents - Math.round(100 * (features.x as number)));
      expect(found, `from ${cents}`).toEqual(expected(cents, 6));
    }
  });

  it('are no nearer where a category has no other value left', async () => {
    const categorical = {
      ...model,
      family: 'gaussian-naive-bayes',
      features: [
        { name: 'c', type: 'categorical', categories: ['p', 'q'] },
        { name: 'x', type: 'continuous', decimals: 2, min: -1, max: 1 },
      ],
      classes: ['A', 'B', 'C'],
      preprocessing: [{ type: 'scale', mean: [0, 0, 0.1851], scale: [1, 1, 0.3471] }],
      parameters: {
        means: [
          [0.4596, 0.9955, -0.8687],
          [-1.3, 0.3506, -0.5672],
          [1.217, -0.1783, 0.982],
        ],
        variances: [
          [0.07516, 0.1362, 0.799],
          [1.124, 5.879, 1.678],
          [2.541, 0.4751, 0.835],
        ],
        priors: [0.18304589437964913, 0.3316939282328445, 0.4852601773875065],
      },
      background: {
        covariance: {
          features: ['x'],
          matrix: [[0.43239110828864197]],
        },
      },
    };
    const plan = await planOf(categorical, {
      schema: 'elsewise.policy/v1',
      target: 'C',
      cost: { norm: 'mahalanobis' },
      count: 5,
      effort: 60_000,
    });
    let compared = 0;
    for (let cents = -100; cents <= 100; cents += 10) {
      const features = { c: 'p', x: cents / 100 };
      const { counterfactuals } = plan.explain({ id: 'r', features });
      const alone = counterfactuals.filter(({ changes }) => changes.length === 1 && changes[0].feature === 'x');
      const moves = alone.map(({ changes: [{ to }] }) => Math.round(100 * (to as number)) - cents);
      for (const [k, move] of moves.entries())
        for (const other of moves.slice(0, k))
          expect(move * other < 0 || Math.abs(move) >= 2 * Math.abs(other), `from ${cents}: ${moves}`).toBe(true);
      compared += moves.length;
    }
    expect(compared).toBeGreaterThan(10);
  });
});
