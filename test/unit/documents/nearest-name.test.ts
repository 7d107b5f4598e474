import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { didYouMean, listNames, nearestName } from '../../../src/documents/nearest-name.js';

describe('the nearest name', () => {
  it.each([
    ['directon', ['distance', 'direction'], 'direction'],
    ['chagne', ['change', 'chance'], 'change'],
    ['APPROVED', ['rejected', 'approved'], 'approved'],
    ['incomes', ['income', 'age'], 'income'],
    ['Min', ['max', 'min'], 'min'],
  ])('to %s among %j is %s', (typed, known, meant) => {
    expect(nearestName(typed, known)).toBe(meant);
  });

  it('is none when more than a third would have to change', () => {
    expect(nearestName('age', ['income'])).toBeUndefined();
    expect(nearestName('ab', ['ac'])).toBeUndefined();
    expect(nearestName('x', [])).toBeUndefined();
  });

  it('is the one listed first among equals', () => {
    expect(nearestName('feature', ['featurea', 'featureb'])).toBe('featurea');
  });

  it('is the name itself when it is known', () => {
    const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 12 }), {
      minLength: 1,
      maxLength: 8,
      selector: (name) => name.toLowerCase(),
    });
    fc.assert(
      fc.property(names, fc.nat(), (known, at) => {
        const name = known[at % known.length];
        expect(nearestName(name, known)).toBe(name);
      }),
    );
  });

  it('finds a long name after any single slip', () => {
    const slips = fc.record({
      at: fc.nat({ max: 10 }),
      letter: fc.constantFrom('q', 'z'),
      kind: fc.constantFrom('drop', 'add', 'replace', 'swap'),
    });
    fc.assert(
      fc.property(slips, ({ at, letter, kind }) => {
        const name = 'maxIncrease';
        const [head, tail] = [name.slice(0, at), name.slice(at)];
        const next = tail[1] ?? '';
        const slip = {
          drop: head + tail.slice(1),
          add: head + letter + tail,
          replace: head + letter + tail.slice(1),
          swap: head + next + tail[0] + tail.slice(2),
        };
        expect(nearestName(slip[kind as keyof typeof slip], ['maxDecrease', 'maxIncrease', 'max'])).toBe('maxIncrease');
      }),
    );
  });
});

it('the hint is the end of a sentence, or nothing', () => {
  expect(didYouMean('hosing', ['housing'])).toBe(', did you mean "housing"?');
  expect(didYouMean('x', ['housing'])).toBe('');
});

it('compares the first of very many long names only', () => {
  const long = 'x'.repeat(2000);
  const candidates = Array.from({ length: 5000 }, (_, k) => `${long.slice(4)}${String(k).padStart(4, '0')}`);
  let asked = 0;
  const counted = {
    *[Symbol.iterator]() {
      for (const candidate of candidates) {
        asked++;
        yield candidate;
      }
    },
  };
  expect(nearestName(long, counted)).toBe(candidates[0]);
  expect(asked).toBeLessThan(10);
});

it('names the first of many names', () => {
  expect(listNames(['a', 'b'])).toBe('a, b');
  expect(listNames(Array.from({ length: 20 }, (_, k) => `n${k}`))).toBe('n0, n1, n2, n3, n4, n5, n6, n7, ...');
});
