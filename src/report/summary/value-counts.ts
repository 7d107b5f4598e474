/**
 * The distribution of numbers >= 0 in memory that does not grow with their number.
 *
 *   few different values    each value with its number. Values are kept to 24 bits: equal values that were computed in different ways
 *                           become equal, with a relative error of at most 6e-7
 *   more than `limit`       buckets of equal ratio 1.002: the relative error of a value is at most 0.1 %
 *
 * The state depends on the values and not on their order: exact values are put into the same buckets later as at once.
 */
import type { CountedValues } from '../statistics/tests.js';

const RATIO = Math.log(1.002);
/** The bucket of values without a logarithm. */
const ZERO = Number.NEGATIVE_INFINITY;
const LIMIT = 4096;
/** The relative errors of single values and of buckets. */
const EXACT = 6e-7;
const ROUNDED = 0.001;

export class ValueCounts {
  #counts = new Map<number, number>();
  #isRounded = false;
  count = 0;
  min = Number.POSITIVE_INFINITY;
  max = Number.NEGATIVE_INFINITY;

  constructor(readonly limit = LIMIT) {}

  add(value: number): void {
    this.count++;
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
    this.#increase(this.#isRounded ? bucketOf(value) : Math.fround(value), 1);
  }

  merge(other: ValueCounts): void {
    this.count += other.count;
    this.min = Math.min(this.min, other.min);
    this.max = Math.max(this.max, other.max);
    if (other.#isRounded) this.round();
    for (const [key, count] of other.#counts)
      this.#increase(this.#isRounded && !other.#isRounded ? bucketOf(key) : key, count);
  }

  #increase(key: number, by: number): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + by);
    if (!this.#isRounded && this.#counts.size > this.limit) this.round();
  }

  /** The relative error of a value. */
  get error(): number {
    return this.#isRounded ? ROUNDED : EXACT;
  }

  get isRounded(): boolean {
    return this.#isRounded;
  }

  /** Puts the values into buckets, as for more than `limit` values. */
  round(): void {
    if (this.#isRounded) return;
    const exact = this.#counts;
    this.#counts = new Map();
    this.#isRounded = true;
    for (const [value, count] of exact) this.#increase(bucketOf(value), count);
  }

  /** The values in rising order. */
  sorted(): CountedValues {
    const shown = this.#isRounded ? (key: number) => (key === ZERO ? 0 : Math.exp(key * RATIO)) : tidy;
    const keys = [...this.#counts.keys()].sort((a, b) => a - b);
    return keys.map((key) => [shown(key), this.#counts.get(key)!]);
  }
}

/** Values of counters with the same rounding, for comparisons between them. */
export function alignedValues(all: readonly ValueCounts[]): CountedValues[] {
  if (all.some(({ isRounded }) => isRounded)) for (const one of all) one.round();
  return all.map((one) => one.sorted());
}

/** The value of a rank, counted from 1. */
export function valueAtRank(values: CountedValues, rank: number): number {
  let left = rank;
  for (const [value, count] of values) {
    left -= count;
    if (left <= 0) return value;
  }
  return values[values.length - 1][0];
}

/** The value that a share `q` of all values does not exceed. */
export const quantileOf = (values: CountedValues, count: number, q: number): number =>
  valueAtRank(values, Math.max(1, Math.ceil(q * count)));

export const medianOf = (values: CountedValues, count: number): number =>
  (valueAtRank(values, Math.ceil(count / 2)) + valueAtRank(values, Math.floor(count / 2) + 1)) / 2;

const bucketOf = (value: number): number => (value > 0 ? Math.round(Math.log(value) / RATIO) : ZERO);

/** A short decimal number for a value of 24 bits. */
const tidy = (value: number): number => (Number.isInteger(value) ? value : Number(value.toPrecision(7)));
