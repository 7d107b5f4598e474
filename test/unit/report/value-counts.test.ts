import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/linalg/random.js';
import { histogramOf, medianWithInterval, roundWidth } from '../../../src/report/summary/figures.js';
import { alignedValues, medianOf, quantileOf, ValueCounts } from '../../../src/report/summary/value-counts.js';

function countsOf(values: readonly number[], limit?: number): ValueCounts {
  const counts = new ValueCounts(limit);
  for (const value of values) counts.add(value);
  return counts;
}

const values = fc.array(fc.double({ min: 0, max: 1e12, noNaN: true }), { minLength: 1, maxLength: 200 });

describe('counted values', () => {
  it('keep quantiles within their error, rounded or not', () => {
    fc.assert(
      fc.property(values, fc.double({ min: 0.01, max: 1, noNaN: true }), fc.constantFrom(10, 4096), (all, q, limit) => {
        const counts = countsOf(all, limit);
        const exact = [...all].sort((a, b) => a - b)[Math.max(1, Math.ceil(q * all.length)) - 1];
        const own = quantileOf(counts.sorted(), counts.count, q);
        expect(Math.abs(own - exact)).toBeLessThanOrEqual(counts.error * 1.01 * exact + 1e-40);
      }),
    );
  });

  it('do not depend on the order of values, nor on the parts that were merged', () => {
    fc.assert(
      fc.property(values, fc.nat(), (all, cut) => {
        const parts = [all.slice(0, cut % all.length), all.slice(cut % all.length)].map((part) => countsOf(part, 20));
        parts[0].merge(parts[1]);
        expect(parts[0].sorted()).toEqual(countsOf([...all].reverse(), 20).sorted());
      }),
    );
  });

  it('tie values that differ by rounding only', () => {
    expect(countsOf([0.1 + 0.2, 0.3, 3.0925925925925926, 3.092592592592592]).sorted()).toEqual([
      [0.3, 2],
      [3.092592, 2],
    ]);
  });

  it('are compared in the same buckets', () => {
    const few = countsOf([1, 2]);
    const many = countsOf(
      Array.from({ length: 50 }, (_, i) => i + 1),
      20,
    );
    const [aligned, others] = alignedValues([few, many]);
    for (const [value] of aligned) expect(others.map(([other]) => other)).toContain(value);
  });

  it('have a median between the two middle values', () => {
    expect(medianOf(countsOf([1, 2, 3, 10]).sorted(), 4)).toBe(2.5);
    expect(medianOf(countsOf([1, 2, 10]).sorted(), 3)).toBe(2);
  });

  it('give intervals that hold the true median as often as they promise', () => {
    const random = seededRandom(5);
    let held = 0;
    for (let trial = 0; trial < 1000; trial++) {
      const { low, high } = medianWithInterval(countsOf(Array.from({ length: 41 }, () => random() ** 2)))!;
      if (low! <= 0.25 && high! >= 0.25) held++;
    }
    expect(held).toBeGreaterThan(940);
  });
});

describe('a histogram', () => {
  it('counts every value once, and the highest together', () => {
    const all = [...Array.from({ length: 995 }, (_, i) => i / 100), 50, 60, 70, 80, 90];
    const { width, counts, above } = histogramOf(countsOf(all))!;
    expect(counts.reduce((sum, count) => sum + count, 0) + above).toBe(1000);
    expect(above).toBeGreaterThanOrEqual(5);
    expect(width).toBe(0.5);
    expect(counts[0]).toBe(50);
  });

  it('of equal values has a bin', () =>
    expect(histogramOf(countsOf([0, 0]))).toEqual({ width: 1, counts: [2], above: 0 }));

  it.each([
    [0.03, 0.05],
    [1, 1],
    [17, 20],
    [6, 10],
  ])('has round bins: %s', (width, round) => expect(roundWidth(width)).toBe(round));
});
