/** Comparisons of two sides: counts, tests, words that claim no more than was proved. */
import { describe, expect, it } from 'vitest';
import { comparisonSchema } from '../../../src/documents/comparison-document.js';
import type { ResultDocument } from '../../../src/documents/result-document.js';
import { changePolicy } from '../../../src/policy/change/change-policy.js';
import { hasSameCosts } from '../../../src/policy/change/same-cost.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { ComparisonCollector, type ComparisonOptions } from '../../../src/report/comparison/comparison-collector.js';
import { directionTest } from '../../../src/report/comparison/pair-figures.js';
import { PersonResultReader } from '../../../src/report/summary/person-result.js';
import { answerOf, infeasibleOf, resultOf } from './people-results.js';

type Pair = readonly [ResultDocument, ResultDocument];

const priced = (id: string, cost: number) => resultOf({ id, counterfactuals: [answerOf({ cost })] });
const open = (id: string) => resultOf({ id, status: 'not-found', counterfactuals: [] });

function compare(pairs: readonly Pair[], options: Partial<ComparisonOptions> = {}, sampleOf?: number) {
  const collector = new ComparisonCollector({ change: 'The change', solved: 'all', hasSameCosts: true, ...options });
  const reader = new PersonResultReader();
  for (const pair of pairs) {
    const [before, after] = pair.map((one) => reader.read(JSON.stringify(one))!);
    if (collector.read(before)) collector.add(before, after);
  }
  return comparisonSchema.parse(collector.summarise(sampleOf));
}

const PAIRS: readonly Pair[] = [
  [infeasibleOf({ id: 'a' }), priced('a', 3)],
  [open('b'), priced('b', 2)],
  [infeasibleOf({ id: 'c' }), open('c')],
  [priced('d', 4), priced('d', 1)],
  [priced('e', 1), infeasibleOf({ id: 'e' })],
  [priced('f', 2), open('f')],
];

describe('a comparison', () => {
  it('counts gains and losses, and those that are proved', () => {
    const { gained, gainedProved, lost, lostProved, cost } = compare(PAIRS);
    expect([gained.people, gained.of, gainedProved]).toEqual([2, 3, 1]);
    expect([lost.people, lost.of, lostProved]).toEqual([2, 3, 1]);
    expect(cost).toMatchObject({ both: 1, same: 0, difference: { median: -3 }, p: expect.closeTo(1, 12) });
  });

  it('says of unproved outcomes that they are unproved', () => {
    const text = compare(PAIRS).words.join('\n');
    expect(text).toContain(
      '2 of 3 people without an answer gain one (66.7 %). For 1 of them nothing had been found before',
    );
    expect(text).toContain(
      '1 person has no answer, proved, and for 2 people nothing was found and nothing was proved.',
    );
    expect(text).toContain(
      '2 of 3 people with an answer lose it. For 1 of them this is not proved: nothing was found.',
    );
  });

  it('compares only the people without an answer where only they are solved again', () => {
    const { people, read, words, lost } = compare(PAIRS, { solved: 'without-answer' });
    expect([people, read.people, read.withoutAnswer, lost.of]).toEqual([3, 6, 3, 0]);
    expect(words[0]).toBe('The change: 3 people without an answer. The other 3 people were not solved again.');
    expect(words.join()).not.toContain('loses');
  });

  it('names a sample with its seed, and an interval for all people', () => {
    const { sample, words } = compare(PAIRS.slice(0, 3), { solved: 'without-answer', seed: 7 }, 340);
    expect(sample).toEqual({ people: 3, of: 340, seed: 7 });
    expect(words[0]).toContain('a random sample of 340 (seed 7)');
    expect(words[1]).toMatch(/^In the sample 2 of 3 .* lies between 20\.8 % and 93\.9 % \(95 % confidence\)/);
  });

  it('does not compare costs in other units', () => {
    const { cost, words } = compare(PAIRS, { hasSameCosts: false });
    expect(cost).toMatchObject({ comparable: false, both: 0, difference: null, p: null });
    expect(words.join()).toContain('the costs are not compared');
  });

  it('tests whether gains differ between groups, and hides small groups', () => {
    const of = (housing: string, k: number, gains: boolean): Pair => {
      const factual = { features: { income: 1, housing }, prediction: 'rejected', score: 0.4 };
      const id = `${housing}${k}`;
      return [infeasibleOf({ id, factual }), gains ? { ...priced(id, 1), factual } : infeasibleOf({ id, factual })];
    };
    const pairs = [...Array(60).keys()].flatMap((k) => [of('rent', k, k % 10 > 0), of('own', k, k % 10 === 0)]);
    const { groups, words } = compare([...pairs, of('free', 1, true)], { by: ['housing'] });
    expect([groups[0].groups.length, groups[0].suppressed.length]).toEqual([1, 2]); // totals would tell the figures of one
    const shown = compare(pairs, { by: ['housing'] });
    expect(shown.groups[0].groups.map(({ name, gained }) => [name, gained.people, gained.of])).toEqual([
      ['own', 6, 60],
      ['rent', 54, 60],
    ]);
    expect(shown.groups[0].gainedTest.adjusted).toBeLessThan(0.001);
    expect(shown.words.at(-1)).toContain('The shares differ by more than chance alone explains');
    expect(words.at(-1)).toContain('The groups were not compared');
  });

  it('refuses sides of other people', () => {
    expect(() => compare([[priced('a', 1), priced('b', 1)]])).toThrow('"a" against "b"');
  });
});

describe('the test of directions', () => {
  it('is the exact binomial test', () => {
    expect(directionTest(0, 7)).toBeCloseTo(2 / 128, 12);
    expect(directionTest(5, 5)).toBe(1);
    expect(directionTest(0, 0)).toBeNull();
  });
});

describe('a changed policy', () => {
  const policy = loadPolicy({
    schema: 'elsewise.policy/v1',
    features: { age: { change: 'never' }, income: { max: 9000, step: 50 } },
    constraints: ['income >= 2 * age'],
    maxChanges: 3,
  }).document;

  it('lacks single entries, or all rules of a feature', () => {
    const { document } = changePolicy(policy, { allow: ['features.income', 'maxChanges', 'constraints[0]'] }, 'change');
    expect(document.features).toEqual({ age: { change: 'never' }, income: {} });
    expect([document.maxChanges, document.constraints]).toEqual([undefined, []]);
  });

  it('has the keys of a merge patch, where null removes', () => {
    const merge = { maxChanges: null, features: { age: null, income: { max: 12000 } } };
    const { document } = changePolicy(policy, { merge }, 'change');
    expect(document.features).toEqual({ income: { max: 12000, step: 50 } });
    expect(document.maxChanges).toBeUndefined();
  });

  it('is refused with a hint where the entry is unknown', () => {
    expect(() => changePolicy(policy, { allow: ['features.incme'] }, 'change')).toThrow(
      'change.allow: the policy has no entry "features.incme", did you mean "features.income"?',
    );
  });

  it('has the same costs only in the same units', () => {
    const side = (modelDigest: string, cost: object) => ({
      modelDigest,
      policy: loadPolicy({ schema: 'elsewise.policy/v1', cost }).document,
    });
    const [mad, none] = [{ weights: 'mad' }, { weights: 'none' }];
    expect(hasSameCosts(side('m', mad), side('m', mad))).toBe(true);
    expect(hasSameCosts(side('m', mad), side('n', mad))).toBe(false);
    expect(hasSameCosts(side('m', none), side('n', none))).toBe(true);
    expect(hasSameCosts(side('m', mad), side('m', none))).toBe(false);
  });
});
