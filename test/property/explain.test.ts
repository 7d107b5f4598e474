/**
 * Random linear models, policies and rows against a second implementation of the contract, against trying everything,
 * and against themselves in other units. Set FC_SEED to look elsewhere.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answersOf, ask } from '../support/asking.js';
import { allAnswers } from '../support/brute-force.js';
import { leastL1, leastL2, reachOf } from '../support/optimum.js';
import { anyPart, discretePart, plainPart, question } from '../support/questions.js';
import { changedNames, costOf, faultsOf, leadOf, type Question, type Row, reaches } from '../support/second-opinion.js';
import { inOtherUnits, permuted, relaxed, translated } from '../support/transformations.js';

const seed = Number(process.env.FC_SEED ?? 20);
const always = (arbitrary: fc.Arbitrary<Question>, numRuns: number, holds: (question: Question) => Promise<void>) =>
  fc.assert(fc.asyncProperty(arbitrary, holds), { seed, numRuns });

/** The cost of the best answer; Infinity when there is proved to be none, 0 when none is needed. */
async function optimumOf(question: Question): Promise<number> {
  const result = await ask(question);
  if (result.status === 'already') return 0;
  if (result.status === 'infeasible') return Infinity;
  expect(result.status).toBe('found');
  expect(result.counterfactuals[0].proof.kind).toBe('optimal');
  return result.counterfactuals[0].cost;
}

const roomFor = (cost: number) => 1e-6 * Math.max(1e-3, cost);

describe('every answer', () => {
  it('passes the second opinion: score, policy, changes, distances and cost', async () => {
    const arbitrary = question({ part: anyPart, most: 5, constraints: 2, margins: [0.25, 0.5], capped: true });
    await always(arbitrary, 90, async (asked) => {
      const result = await ask(asked);
      expect(result.status === 'already').toBe(reaches(asked, asked.row));
      for (const answer of result.counterfactuals) {
        const row = answer.features as Row;
        expect(faultsOf(asked, row)).toEqual([]);
        expect(answer.changes.map(({ feature }) => feature)).toEqual(changedNames(asked.features, asked.row, row));
        for (const { feature, from, to } of answer.changes)
          expect([from, to]).toEqual([asked.row[feature], row[feature]]);
        const own = costOf(asked, asked.row, row);
        expect(Math.abs(answer.cost - own)).toBeLessThanOrEqual(1e-9 * Math.max(1, own));
        const unpriced = (norm: Question['norm']) => costOf({ ...asked, norm, prices: {} }, asked.row, row);
        expect(answer.distances.l0).toBe(unpriced('l0'));
        expect(answer.distances.l1).toBeCloseTo(unpriced('l1'), 9);
        expect(answer.distances.l2).toBeCloseTo(Math.sqrt(unpriced('l2')), 9);
        if (answer.proof.lowerBound !== null) expect(answer.proof.lowerBound).toBeLessThanOrEqual(answer.cost);
      }
    });
  });

  it('is the best of all there are, and infeasible means that there is none', async () => {
    const norms = ['l0', 'l1', 'l2', 'percentile', 'mahalanobis'] as Question['norm'][];
    const arbitrary = question({
      part: discretePart,
      most: 4,
      norms,
      constraints: 2,
      margins: [0.25, 0.5],
      capped: true,
    });
    await always(arbitrary, 110, async (asked) => {
      if (reaches(asked, asked.row)) return;
      const best = Math.min(Infinity, ...allAnswers(asked).map(({ cost }) => cost));
      const found = await optimumOf(asked);
      if (best === Infinity) expect(found).toBe(Infinity);
      else expect(Math.abs(found - best)).toBeLessThanOrEqual(roomFor(best));
    });
  });

  it('is the best of all there are where answers lie exactly on the boundary', async () => {
    const arbitrary = question({ part: discretePart, most: 3, margins: [0.25, 0.5], ties: true });
    await always(arbitrary, 110, async (asked) => {
      if (reaches(asked, asked.row)) return;
      const best = Math.min(Infinity, ...allAnswers(asked).map(({ cost }) => cost));
      const result = await ask(asked);
      expect(result.status === 'found').toBe(best < Infinity);
      if (best < Infinity) expect(result.counterfactuals[0].cost).toBeCloseTo(best, 6);
    });
  });
});

describe('one linear row over a box', () => {
  const twoClass = {
    most: 6,
    families: ['hyperplane', 'logistic-regression'] as Question['family'][],
    margins: [0.25, 0.5],
  };

  it.each([
    ['l1', leastL1],
    ['l2', leastL2],
  ] as const)(
    'costs what duality says under %s, and is infeasible exactly when the box ends too early',
    async (norm, least) => {
      const arbitrary = question({ ...twoClass, part: plainPart, norms: [norm] });
      await always(arbitrary, 110, async (asked) => {
        if (reaches(asked, asked.row)) return;
        const found = await optimumOf(asked);
        if (reachOf(asked) < 0) expect(found).toBe(Infinity);
        else expect(Math.abs(found - least(asked))).toBeLessThanOrEqual(roomFor(found));
      });
    },
  );

  it.each(['l1', 'l2'] as const)('keeps its cost under %s when the units are worlds apart', async (norm) => {
    const exponents = fc.array(fc.integer({ min: -6, max: 6 }), { minLength: 6, maxLength: 6 });
    const arbitrary = fc.tuple(question({ ...twoClass, part: plainPart, norms: [norm] }), exponents);
    const holds = async ([asked, powers]: [Question, number[]]) => {
      const scaled = asked.features.reduce((q, { name }, i) => inOtherUnits(q, name, 10 ** powers[i]), asked);
      const [before, after] = [await optimumOf(asked), await optimumOf(scaled)];
      if (before === Infinity || after === Infinity) expect(after).toBe(before);
      else expect(Math.abs(after - before)).toBeLessThanOrEqual(roomFor(before));
    };
    await fc.assert(fc.asyncProperty(arbitrary, holds), { seed, numRuns: 70 });
  });

  it('is left by the smallest of steps when the row lies exactly on it', async () => {
    const arbitrary = question({ ...twoClass, part: plainPart, norms: ['l1', 'l2'], margins: [0], ties: true });
    await always(arbitrary, 110, async (asked) => {
      if (leadOf(asked, asked.row) !== 0 || asked.target === 0) return;
      const result = await ask(asked);
      expect(result.status === 'found').toBe(reachOf(asked) > 0);
      if (result.status !== 'found') return;
      expect(result.counterfactuals[0].cost).toBeLessThan(1e-6);
      expect(leadOf(asked, answersOf(result)[0])).toBeGreaterThan(0);
    });
  });
});

describe('the same question asked otherwise', () => {
  const plain = question({ part: fc.oneof(plainPart, discretePart), most: 4, constraints: 1, capped: true });
  const pairs = (change: (asked: Question, draw: number) => Question) =>
    fc.tuple(plain, fc.nat({ max: 99 })).map(([asked, draw]) => [asked, change(asked, draw)] as const);

  async function costsOf(asked: Question, other: Question): Promise<[number, number]> {
    const both = await Promise.all([ask(asked), ask(other)]);
    return both.map((result) => (result.status === 'already' ? 0 : (result.counterfactuals[0]?.cost ?? Infinity))) as [
      number,
      number,
    ];
  }

  const never = (
    arbitrary: fc.Arbitrary<readonly [Question, Question]>,
    holds: (before: number, after: number) => void,
  ) =>
    fc.assert(
      fc.asyncProperty(arbitrary, async ([asked, other]) => {
        holds(...(await costsOf(asked, other)));
      }),
      { seed, numRuns: 60 },
    );

  const same = (before: number, after: number) => {
    if (before === Infinity || after === Infinity) expect(after).toBe(before);
    else expect(Math.abs(after - before)).toBeLessThanOrEqual(roomFor(before));
  };

  it('in other units has the same cost', () =>
    never(
      pairs((asked, draw) =>
        inOtherUnits(asked, `f${draw % asked.features.length}`, [1000, 0.001, 2.54, 0.3][draw % 4]),
      ),
      same,
    ));

  it('from another origin has the same cost', () =>
    never(
      pairs((asked, draw) => translated(asked, `f${draw % asked.features.length}`, (draw - 50) / 4)),
      same,
    ));

  it('with the features in another order has the same cost', () => never(pairs(permuted), same));

  it('under a laxer policy is never dearer', () =>
    never(pairs(relaxed), (before, after) =>
      expect(after).toBeLessThanOrEqual(before + roomFor(Math.min(before, 1e6))),
    ));

  it('with a margin is never cheaper', () =>
    never(
      pairs((asked) => ({ ...asked, margin: 0.25 })),
      (before, after) => expect(after).toBeGreaterThanOrEqual(before - roomFor(Math.min(before, 1e6))),
    ));

  it('in other units, order and origin has the same answer, moved along', async () => {
    const arbitrary = question({ part: plainPart, most: 4, norms: ['l2'] });
    await always(arbitrary, 90, async (asked) => {
      const moved = permuted(translated(inOtherUnits(asked, 'f0', 2.54), 'f0', 3), 5);
      const [one, other] = [answersOf(await ask(asked)), answersOf(await ask(moved))];
      expect(other.length).toBe(one.length);
      if (!one.length) return;
      const expected: Row = { ...one[0], f0: (one[0].f0 as number) * 2.54 + 3 };
      for (const { name } of asked.features) expect(other[0][name]).toBeCloseTo(expected[name] as number, 5);
    });
  });
});
