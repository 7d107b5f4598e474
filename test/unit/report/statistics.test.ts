/** Intervals and tests against scipy and statsmodels (test/fixtures/statistics/generate.py). */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { medianRanks, wilsonInterval } from '../../../src/report/statistics/intervals.js';
import { binomialAtMost, chiSquareTail } from '../../../src/report/statistics/special-functions.js';
import { fisher, holm, testShares, testValues } from '../../../src/report/statistics/tests.js';

const expected = JSON.parse(
  readFileSync(new URL('../../fixtures/statistics/expected.json', import.meta.url), 'utf8'),
) as Expected;

interface Expected {
  wilson: { count: number; total: number; low: number; high: number }[];
  medianRanks: { total: number; low: number; high: number }[];
  chiSquare: { table: [number, number][]; statistic: number; p: number }[];
  fisher: { table: [number, number][]; p: number }[];
  kruskal: { groups: number[][]; statistic: number; p: number }[];
  holm: { ps: number[]; adjusted: number[] }[];
  tails: { x: number; df: number; p: number }[];
  binomial: { k: number; n: number; p: number; atMost: number }[];
}

function expectClose(value: number | null | undefined, wanted: number): void {
  expect(Math.abs((value ?? Number.NaN) - wanted)).toBeLessThanOrEqual(1e-8 * Math.abs(wanted) + 1e-300);
}

const sharesOf = (table: readonly [number, number][]) => table.map(([count, rest]) => ({ count, total: count + rest }));

/** Values with their numbers. */
function counted(values: readonly number[]): [number, number][] {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => a[0] - b[0]);
}

describe('tails of distributions', () => {
  it.each(expected.tails)('chi-square $x, $df', ({ x, df, p }) => expectClose(chiSquareTail(x, df), p));
  it.each(expected.binomial)('binomial $k of $n', ({ k, n, p, atMost }) =>
    expectClose(binomialAtMost(k, n, p), atMost),
  );
});

describe('intervals', () => {
  it.each(expected.wilson)('of the share $count of $total', ({ count, total, low, high }) => {
    const interval = wilsonInterval(count, total);
    expect(interval.low).toBeCloseTo(low, 12);
    expect(interval.high).toBeCloseTo(high, 12);
  });

  it('of a share of nobody is everything', () => expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 }));

  it.each(expected.medianRanks)('of the median of $total values', ({ total, low, high }) => {
    expect(medianRanks(total)).toEqual({ low, high });
  });

  it('of the median of five values does not exist', () => expect(medianRanks(5)).toBeUndefined());
});

describe('tests', () => {
  it.each(expected.chiSquare)('chi-square, p = $p', ({ table, statistic, p }) => {
    const outcome = testShares(sharesOf(table));
    expect(outcome?.method).toBe('chi-square');
    expectClose(outcome?.statistic, statistic);
    expectClose(outcome?.p, p);
  });

  it.each(expected.fisher)("Fisher's test, p = $p", ({ table, p }) => {
    const [one, other] = sharesOf(table);
    expectClose(fisher(one, other), p);
  });

  it("takes Fisher's test for two groups with few cases, and refuses more groups", () => {
    const few = sharesOf([
      [0, 12],
      [3, 400],
    ]);
    expect(testShares(few)?.method).toBe('fisher');
    expect(testShares([...few, { count: 1, total: 9 }])).toBeUndefined();
  });

  it('says nothing about groups of which nobody or everybody is counted', () => {
    expect(testShares([0, 9].map((total) => ({ count: 0, total })))?.p).toBe(1);
    expect(testShares([7, 9].map((total) => ({ count: total, total })))?.p).toBe(1);
  });

  it.each(expected.kruskal)('Kruskal and Wallis, p = $p', ({ groups, statistic, p }) => {
    const outcome = testValues(groups.map(counted));
    expectClose(outcome?.statistic, statistic);
    expectClose(outcome?.p, p);
  });

  it('finds no difference between equal values', () => {
    expect(testValues([[[2, 40]], [[2, 60]]])?.p).toBe(1);
    expect(testValues([[[2, 40]], []])).toBeUndefined();
  });

  it.each(expected.holm)('Holm, $ps', ({ ps, adjusted }) => {
    const own = holm(ps);
    adjusted.forEach((wanted, i) => {
      expect(own[i]).toBeCloseTo(wanted, 12);
    });
  });
});
