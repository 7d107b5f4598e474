/** What is told to a person has the decimals and steps that were asked for, and is still an answer. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answersOf, ask } from '../../support/asking.js';
import { leversOf, reachOf } from '../../support/optimum.js';
import { faultsOf, leadOf, type Question, reaches } from '../../support/second-opinion.js';

const weight = fc.integer({ min: -900, max: 900 }).map((n) => n / 301);

/** Up to eight features with 0 to 3 decimals and awkward weights; rows on their grid unless `offGrid`. */
function rounded(norm: Question['norm'], offGrid = false): fc.Arbitrary<Question> {
  const feature = fc.record({
    decimals: fc.integer({ min: 0, max: 3 }),
    weight,
    value: fc.integer({ min: -9000, max: 9000 }),
    price: fc.constantFrom(0.5, 1, 2),
  });
  return fc
    .record({ parts: fc.array(feature, { minLength: 1, maxLength: 8 }), lack: fc.integer({ min: 1, max: 4000 }) })
    .map(({ parts, lack }) => {
      const names = parts.map((_, i) => `f${i}`);
      const value = ({ decimals, value: n }: { decimals: number; value: number }) =>
        offGrid ? n / 811 : Number((n / 1000).toFixed(decimals));
      const byName = <T>(read: (i: number) => T) => Object.fromEntries(names.map((name, i) => [name, read(i)]));
      const question: Question = {
        family: 'hyperplane',
        features: names.map((name, i) => ({ name, type: 'continuous', decimals: parts[i].decimals })),
        weights: [parts.map((p) => p.weight)],
        bias: [0],
        target: 1,
        row: byName((i) => value(parts[i])),
        rules: {},
        norm,
        prices: byName((i) => parts[i].price),
        constraints: [],
        margin: 0,
      };
      return { ...question, bias: [-leadOf(question, question.row) - lack / 701] };
    });
}

describe('decimals', () => {
  it.each(['l0', 'l1', 'l2'] as const)(
    'of an answer are at most those of the feature, and it stays valid under %s',
    async (norm) => {
      await fc.assert(
        fc.asyncProperty(rounded(norm), async (asked) => {
          if (reachOf(asked) < 0) return;
          const result = await ask(asked);
          expect(result.status).toBe('found');
          expect(faultsOf(asked, answersOf(result)[0])).toEqual([]);
        }),
        { seed: Number(process.env.FC_SEED ?? 4), numRuns: 80 },
      );
    },
  );

  it.each(['l1', 'l2'] as const)(
    'cost at most one unit of the last place per feature under %s, even when the row is off the grid',
    async (norm) => {
      await fc.assert(
        fc.asyncProperty(rounded(norm, true), async (asked) => {
          if (reachOf(asked) < 0 || reaches(asked, asked.row)) return;
          const exact = (
            await ask({ ...asked, features: asked.features.map(({ decimals: _, ...feature }) => feature) })
          ).counterfactuals[0];
          const result = await ask(asked);
          expect(result.status).toBe('found');
          const answer = answersOf(result)[0];
          expect(faultsOf(asked, answer)).toEqual([]);
          const room = asked.features.reduce((sum, { name, decimals }) => {
            const unit = 10 ** -decimals!;
            const move = Math.abs((answer[name] as number) - (asked.row[name] as number));
            return sum + asked.prices[name] * (norm === 'l1' ? unit : 2 * unit * (move + unit));
          }, 0);
          expect(result.counterfactuals[0].cost).toBeLessThanOrEqual(exact.cost + 2 * room + 1e-9);
        }),
        { seed: Number(process.env.FC_SEED ?? 4), numRuns: 80 },
      );
    },
  );

  it('that the first choice cannot have are found with another feature', async () => {
    // b may go to 1.25 only: 1 is too little and 2 too much, so a has to move although it is dearer
    const asked: Question = {
      family: 'hyperplane',
      features: [
        { name: 'a', type: 'continuous' },
        { name: 'b', type: 'continuous', decimals: 0 },
      ],
      weights: [[1, 1]],
      bias: [-1.2],
      target: 1,
      row: { a: 0, b: 0.25 },
      rules: { b: { max: 1.25 } },
      norm: 'l0',
      prices: { a: 2, b: 1 },
      constraints: [],
      margin: 0,
    };
    const result = await ask(asked);
    expect(result.status).toBe('found');
    expect(faultsOf(asked, answersOf(result)[0])).toEqual([]);
  });
});

describe('a step', () => {
  const asked: Question = {
    family: 'hyperplane',
    features: [{ name: 'income', type: 'continuous' }],
    weights: [[1]],
    bias: [-2600],
    target: 1,
    row: { income: 2117 },
    rules: { income: { change: 'increase', step: 50 } },
    norm: 'l1',
    prices: {},
    constraints: [],
    margin: 0,
  };

  it('counts from the present value: 2117 goes to 2617, not to 2650', async () => {
    const result = await ask(asked);
    expect(answersOf(result)).toEqual([{ income: 2617 }]);
    expect(result.counterfactuals[0]).toMatchObject({ cost: 500, proof: { kind: 'optimal' } });
  });

  it('that is a decimal fraction gives decimal fractions', async () => {
    const tenth = { ...asked, bias: [-0.25], row: { income: 0 }, rules: { income: { step: 0.1 } } };
    expect(answersOf(await ask(tenth))).toEqual([{ income: 0.3 }]);
  });

  it('that misses the target on both sides of a bound is infeasible', async () => {
    const short = { ...asked, rules: { income: { step: 50, max: 2616 } } };
    expect((await ask(short)).status).toBe('infeasible');
    expect((await ask({ ...asked, rules: { income: { step: 50, max: 2617 } } })).status).toBe('found');
  });

  it('between two sides of a constraint ends as infeasible, not at the deadline', async () => {
    const between: Question = {
      ...asked,
      weights: [[3]],
      bias: [-1],
      row: { income: 0 },
      rules: { income: { step: 1 } },
      constraints: [{ text: '3 * income <= 2', holds: (row) => 3 * (row.income as number) <= 2 }],
    };
    expect((await ask(between)).status).toBe('infeasible');
  });

  it('of many features under l2 is what brute force over the levers finds', async () => {
    const steps: Question = {
      ...asked,
      features: ['a', 'b', 'c'].map((name) => ({ name, type: 'continuous' as const })),
      weights: [[1, 2, 3]],
      bias: [-10.3],
      row: { a: 0, b: 0, c: 0 },
      rules: {
        a: { step: 0.5, maxIncrease: 4, min: 0 },
        b: { step: 0.5, maxIncrease: 4, min: 0 },
        c: { step: 0.5, maxIncrease: 4, min: 0 },
      },
      norm: 'l2',
    };
    expect(leversOf(steps).map(({ gain }) => gain)).toEqual([1, 2, 3]);
    let best = Infinity;
    for (let a = 0; a <= 4; a += 0.5)
      for (let b = 0; b <= 4; b += 0.5)
        for (let c = 0; c <= 4; c += 0.5) if (a + 2 * b + 3 * c > 10.3) best = Math.min(best, a * a + b * b + c * c);
    expect((await ask(steps)).counterfactuals[0].cost).toBeCloseTo(best, 9);
  });
});
