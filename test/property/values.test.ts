/**
 * The value kernel against its definition in rational arithmetic: points of a step are the doubles nearest to dec(h) + k dec(s),
 * decimals the doubles nearest to k / 10^D, and nothing else is a value.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalSum } from '../../src/linalg/decimals.js';
import { nextDown, nextUp } from '../../src/linalg/floats.js';
import { layOutFeatures } from '../../src/models/features.js';
import { createDomain, type Domain } from '../../src/policy/domain.js';
import { isDecimal, isStep, lastDecimal, lastStep, type Side } from '../../src/policy/lattice.js';
import {
  countValues,
  isContinuous,
  isValue,
  lastWithin,
  narrowTo,
  nearestValue,
  nearestWithin,
  nextValue,
  valuesOf,
} from '../../src/policy/values.js';
import { decimalOf, floorOver, minus, nearestDouble, plus, type Rational, times } from '../support/rationals.js';

const runs = (numRuns: number) => ({ numRuns, ...(process.env.FC_SEED && { seed: Number(process.env.FC_SEED) }) });

// ------------------------------------------------------------------------------------------------- what numbers there are

const STEPS = [0.1, 0.05, 1e-7, 3, 0.3, 1, 50, 0.25, 1e-9, 7e-3, 1e9, 1 / 3, Math.PI, 1e-12, 123456.789];
const magnitude = fc.integer({ min: -9, max: 9 });

/** A short decimal, at any scale from 1e-9 to 1e9. */
const short = fc
  .tuple(fc.integer({ min: -99999, max: 99999 }), magnitude)
  .map(([digits, power]) => Number(`${digits}e${power - 4}`));
/** A double with all of its digits, at the same scales. */
const long = fc
  .tuple(fc.double({ min: -1, max: 1, noNaN: true }), magnitude)
  .map(([share, power]) => share * 10 ** power);
const number = fc.oneof(short, short, long, fc.constantFrom(0, 0.3, -0.3, 0.1 + 0.2, 1e15, 2 ** 53, 1e21, 1e-35));
const step = fc.oneof(
  fc.constantFrom(...STEPS),
  short.filter((s) => s > 0),
  long.filter((s) => s > 0),
);
const side = fc.constantFrom<Side>(1, -1);

/** Bounds that matter: points, their neighbours, numbers between. */
const nudged = (value: number, by: number): number => (by === 0 ? value : by > 0 ? nextUp(value) : nextDown(value));
const hair = fc.integer({ min: -1, max: 1 });

// ------------------------------------------------------------------------------------------------------- the definition

const negative = (a: Rational): Rational => times(a, -1n);

/** The largest double fl(start + k · stride) at or below a bound, by bisection over k; -Infinity: none. */
function lastByDefinition(start: Rational, stride: Rational, bound: number, towards: Side): number {
  if (towards < 0) return 0 - lastByDefinition(negative(start), stride, -bound, 1);
  const at = (k: bigint) => nearestDouble(plus(start, times(stride, k)));
  let good = floorOver(minus(decimalOf(bound), start), stride) - 2n;
  let width = 1n;
  while (at(good + width) <= bound) width *= 2n;
  for (let bad = good + width; bad - good > 1n; ) {
    const middle = (good + bad) / 2n;
    if (at(middle) <= bound) good = middle;
    else bad = middle;
  }
  return at(good) + 0;
}

const lastStepByDefinition = (h: number, s: number, bound: number, towards: Side) =>
  lastByDefinition(decimalOf(h), decimalOf(s), bound, towards);
const lastDecimalByDefinition = (places: number, bound: number, towards: Side) =>
  lastByDefinition({ n: 0n, d: 1n }, { n: 1n, d: 10n ** BigInt(places) }, bound, towards);

describe('the decimal behind a double', () => {
  it('adds up as on paper', () => {
    expect(decimalSum(0.3, 0.6)).toBe(0.9);
    expect(decimalSum(1.37, -1.3)).toBe(0.07);
    expect(decimalSum(0.1, 0.7)).toBe(0.8);
    expect(decimalSum(1e21, 1)).toBe(1e21);
    expect(decimalSum(5, Infinity)).toBe(Infinity);
    expect(decimalSum(5, -Infinity)).toBe(-Infinity);
    expect(decimalSum(-0, -0)).toBe(0);
    expect(decimalSum(-0.3, 0.3)).toBe(0);
  });

  it('is summed to the nearest double, whatever its length', () => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        expect(decimalSum(a, b)).toBe(nearestDouble(plus(decimalOf(a), decimalOf(b))));
      }),
      runs(1000),
    );
  });
});

describe('points of a step', () => {
  it('are the numbers that a person writes down', () => {
    expect(Array.from({ length: 7 }, (_, k) => lastStep(0.3, 0.1, 0.35 + k / 10, 1))).toEqual([
      0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9,
    ]);
    expect(lastStep(1.37, 0.1, 0, -1)).toBe(0.07);
    expect(lastStep(0.3, 0.3, 0.9, 1)).toBe(0.9);
  });

  it('end at the last double that is not beyond a bound', () => {
    fc.assert(
      fc.property(number, step, number, side, (h, s, bound, towards) => {
        expect(lastStep(h, s, bound, towards)).toBe(lastStepByDefinition(h, s, bound, towards));
      }),
      runs(1000),
    );
  });

  it('reach a bound that is one of them, and not one that a hair lies before them', () => {
    fc.assert(
      fc.property(short, step, fc.integer({ min: -2000, max: 2000 }), hair, side, (h, s, k, by, towards) => {
        const point = nearestDouble(plus(decimalOf(h), times(decimalOf(s), BigInt(k))));
        const bound = nudged(point, by);
        expect(isStep(h, s, point)).toBe(true);
        expect(lastStep(h, s, bound, towards)).toBe(lastStepByDefinition(h, s, bound, towards));
      }),
      runs(1000),
    );
  });
});

describe('decimals', () => {
  it('end at the last double that is not beyond a bound', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 12 }), number, hair, side, (places, value, by, towards) => {
        const bound = nudged(value, by);
        expect(lastDecimal(places, bound, towards)).toBe(lastDecimalByDefinition(places, bound, towards));
        expect(isDecimal(places, bound)).toBe(lastDecimalByDefinition(places, bound, 1) === bound);
      }),
      runs(2000),
    );
  });
});

// ------------------------------------------------------------------------------------------------------------- domains

const ranksOf = (mask: readonly boolean[]) => Uint8Array.from(mask, Number);
const spaces = {
  continuous: layOutFeatures([{ name: 'x', type: 'continuous' }]),
  integer: layOutFeatures([{ name: 'x', type: 'integer' }]),
  ordinal: layOutFeatures([
    { name: 'x', type: 'categorical', encoding: 'ordinal', categories: ['a', 'b', 'c', 'd', 'e', 'f'] },
  ]),
  decimals: Array.from({ length: 5 }, (_, decimals) => layOutFeatures([{ name: 'x', type: 'continuous', decimals }])),
};

interface Asked {
  readonly domain: Domain;
  /** Every value in order. */
  readonly values: readonly number[];
}

function asked(
  space: Domain['space'],
  here: number,
  stepSize: number,
  [low, high]: readonly number[],
  mask: Uint8Array | null,
) {
  const domain = createDomain(space);
  domain.origin[0] = here;
  domain.lower[0] = low;
  domain.upper[0] = high;
  domain.step[0] = stepSize;
  domain.ranks[0] = mask;
  return domain;
}

/** All values by counting through the definition: for domains of few values. */
function listByDefinition(domain: Domain): number[] {
  const [{ decimals }] = domain.space.features;
  const [here, low, high, s] = [domain.origin[0], domain.lower[0], domain.upper[0], domain.step[0]];
  const [start, stride] = s > 0 ? [decimalOf(here), decimalOf(s)] : [decimalOf(0), decimalOf(Number(`1e-${decimals}`))];
  const found = new Set<number>();
  if (s === 0 && here >= low && here <= high) found.add(here);
  let k = floorOver(minus(decimalOf(low), start), stride) - 2n;
  for (let value = Number.NEGATIVE_INFINITY; value <= high; k++) {
    value = nearestDouble(plus(start, times(stride, k))) + 0;
    if (value >= low && value <= high) found.add(value);
  }
  return [...found].filter((value) => domain.ranks[0]?.[value] !== 0).sort((a, b) => a - b);
}

const width = fc.integer({ min: -1, max: 40 });

/** Steps from anywhere; bounds that are points or nearly so; sometimes away from the present value. */
const stepped: fc.Arbitrary<Asked> = fc
  .tuple(
    number.filter((h) => Math.abs(h) < 1e12),
    step,
    width,
    fc.integer({ min: -60, max: 20 }),
    hair,
    hair,
  )
  .filter(([h, s]) => s > 2 ** -56 * Math.abs(h))
  .map(([h, s, points, first, byLow, byHigh]) => {
    const at = (k: number) => nearestDouble(plus(decimalOf(h), times(decimalOf(s), BigInt(k))));
    const ends = [nudged(at(first), byLow), nudged(at(first + points), byHigh)];
    const domain = asked(spaces.continuous, h, s, ends, null);
    return { domain, values: listByDefinition(domain) };
  });

/** Decimals from values on and off their grid. */
const rounded: fc.Arbitrary<Asked> = fc
  .tuple(
    fc.integer({ min: 0, max: 4 }),
    fc.oneof(short, long).filter((h) => Math.abs(h) < 1e6),
    width,
    fc.integer({ min: -40, max: 20 }),
    hair,
  )
  .map(([places, h, points, first, by]) => {
    const at = (k: number) => Number((h + k / 10 ** places).toFixed(places));
    const domain = asked(spaces.decimals[places], h, 0, [nudged(at(first), by), nudged(at(first + points), -by)], null);
    return { domain, values: listByDefinition(domain) };
  });

/** Ranks with gaps; the present one may be closed, or be none because an imputer gave it. */
const ranked: fc.Arbitrary<Asked> = fc
  .tuple(
    fc.constantFrom(0, 1, 2, 3, 4, 5, 2.5),
    fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
    fc.integer({ min: 0, max: 5 }),
    fc.integer({ min: -1, max: 5 }),
  )
  .map(([h, mask, low, points]) => {
    const ends = [low, Math.min(5, low + points)];
    const domain = asked(spaces.ordinal, h, Number.isInteger(h) ? 1 : 0, ends, ranksOf(mask));
    return { domain, values: listByDefinition(domain) };
  });

const anyDomain = fc.oneof(stepped, rounded, ranked);
/** A number somewhere around the values, often one of them or its neighbour. */
const probe = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean(), hair);

function probeOf({ domain, values }: Asked, [share, isOne, by]: [number, boolean, number]): number {
  const [low, high] = [domain.lower[0], domain.upper[0]];
  const between = low - 0.1 * (high - low) + share * 1.2 * (high - low);
  const one = values[Math.min(values.length - 1, Math.floor(share * values.length))];
  return nudged(isOne && values.length ? one : between, by);
}

const featureOf = ({ domain }: Asked) => domain.space.features[0];
const last = (values: readonly number[]) => (values.length ? values[values.length - 1] : Number.NaN);
const first = (values: readonly number[]) => (values.length ? values[0] : Number.NaN);

describe('a domain', () => {
  it('iterates over exactly its values, and counts them', () => {
    fc.assert(
      fc.property(anyDomain, (ask) => {
        expect([...valuesOf(ask.domain, featureOf(ask))]).toEqual(ask.values);
        const apart = ask.domain.step[0] > 4 * (nextUp(Math.abs(last(ask.values))) - Math.abs(last(ask.values)));
        if (apart || ask.domain.step[0] === 0) expect(countValues(ask.domain, featureOf(ask))).toBe(ask.values.length);
      }),
      runs(1500),
    );
  });

  it('has the values that it iterates over, and no others', () => {
    fc.assert(
      fc.property(anyDomain, probe, (ask, at) => {
        const value = probeOf(ask, at);
        expect(isValue(ask.domain, featureOf(ask), value)).toBe(ask.values.includes(value));
      }),
      runs(2000),
    );
  });

  it('knows the last value before a bound and the next one after a number', () => {
    fc.assert(
      fc.property(anyDomain, probe, (ask, at) => {
        const value = probeOf(ask, at);
        const feature = featureOf(ask);
        expect(lastWithin(ask.domain, feature, value, 1)).toBe(last(ask.values.filter((v) => v <= value)));
        expect(lastWithin(ask.domain, feature, value, -1)).toBe(first(ask.values.filter((v) => v >= value)));
        expect(nextValue(ask.domain, feature, value, 1)).toBe(first(ask.values.filter((v) => v > value)));
        expect(nextValue(ask.domain, feature, value, -1)).toBe(last(ask.values.filter((v) => v < value)));
      }),
      runs(2000),
    );
  });

  it('snaps a number to the nearest value', () => {
    fc.assert(
      fc.property(anyDomain, probe, (ask, at) => {
        const value = probeOf(ask, at);
        const found = nearestValue(ask.domain, featureOf(ask), value);
        if (!ask.values.length) expect(found).toBeNaN();
        else {
          expect(ask.values).toContain(found);
          expect(Math.abs(found - value)).toBe(Math.min(...ask.values.map((v) => Math.abs(v - value))));
        }
      }),
      runs(2000),
    );
  });

  it('finds the value nearest to the present one within an interval', () => {
    fc.assert(
      fc.property(anyDomain, probe, probe, (ask, low, high) => {
        const [from, to] = [probeOf(ask, low), probeOf(ask, high)].sort((a, b) => a - b);
        const inside = ask.values.filter((v) => v >= from && v <= to);
        const found = nearestWithin(ask.domain, featureOf(ask), from, to);
        if (!inside.length) expect(found).toBeNaN();
        else {
          const here = ask.domain.origin[0];
          expect(inside).toContain(found);
          expect(Math.abs(found - here)).toBe(Math.min(...inside.map((v) => Math.abs(v - here))));
        }
      }),
      runs(2000),
    );
  });

  it('narrowed to an interval has the values within it, and ends that are values', () => {
    fc.assert(
      fc.property(anyDomain, probe, probe, (ask, low, high) => {
        const [from, to] = [probeOf(ask, low), probeOf(ask, high)];
        const inside = ask.values.filter((v) => v >= from && v <= to);
        expect(narrowTo(ask.domain, featureOf(ask), from, to)).toBe(inside.length > 0);
        expect([...valuesOf(ask.domain, featureOf(ask))]).toEqual(inside);
        if (inside.length) expect([ask.domain.lower[0], ask.domain.upper[0]]).toEqual([inside[0], last(inside)]);
      }),
      runs(2000),
    );
  });

  it('of a missing value has none', () => {
    const domain = asked(spaces.continuous, Number.NaN, 0, [Number.NaN, Number.NaN], null);
    const [feature] = domain.space.features;
    expect(isValue(domain, feature, 0)).toBe(false);
    expect(lastWithin(domain, feature, Infinity, 1)).toBeNaN();
    expect(nextValue(domain, feature, 0, -1)).toBeNaN();
    expect(nearestWithin(domain, feature, -1, 1)).toBeNaN();
    expect(countValues(domain, feature)).toBe(0);
  });

  it('without steps and decimals has every number between its bounds', () => {
    fc.assert(
      fc.property(long, number, (h, value) => {
        const domain = asked(spaces.continuous, h, 0, [Number.NEGATIVE_INFINITY, Infinity], null);
        const [feature] = domain.space.features;
        expect(isContinuous(domain, feature)).toBe(true);
        expect(isValue(domain, feature, value)).toBe(true);
        expect(nearestValue(domain, feature, value)).toBe(value);
        expect(nextValue(domain, feature, value, 1)).toBe(nextUp(value));
        expect(lastWithin(domain, feature, Infinity, 1)).toBe(Infinity);
        expect(countValues(domain, feature)).toBe(Infinity);
      }),
      runs(200),
    );
  });

  it('of whole numbers keeps to them far beyond what a double counts in ones', () => {
    const domain = asked(spaces.integer, 2 ** 53, 1, [2 ** 53 - 2, 2 ** 53 + 4], null);
    expect([...valuesOf(domain, domain.space.features[0])]).toEqual([
      2 ** 53 - 2,
      2 ** 53 - 1,
      2 ** 53,
      2 ** 53 + 2,
      2 ** 53 + 4,
    ]);
  });
});
