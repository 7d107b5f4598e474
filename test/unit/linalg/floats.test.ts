/** Neighbours of doubles, and the last double of a monotone condition. */
import { describe, expect, it } from 'vitest';
import { lastDouble, nextDown, nextUp } from '../../../src/linalg/floats.js';
import { Dice } from '../../support/dice.js';

const NUMBERS = [0, -0, 1, -1, 0.1, 1e-35, -1e-35, 5e-324, -5e-324, 1e308, -1e308, 123456.789, 2 ** 53];

describe('the last double', () => {
  it('is found from any guess', () => {
    for (const end of NUMBERS)
      for (const guess of [...NUMBERS, Infinity, -Infinity]) {
        expect(lastDouble((x) => x <= end, guess)).toBe(end + 0);
        expect(lastDouble((x) => x < end, guess)).toBe(nextDown(end));
      }
  });

  it('is infinite for a condition without end, and for one that never holds', () => {
    expect(lastDouble(() => true, 3)).toBe(Infinity);
    expect(lastDouble(() => false, 3)).toBe(-Infinity);
  });

  it('takes a few questions where the guess is good, and at most about 200', () => {
    const dice = new Dice(4);
    for (let k = 0; k < 200; k++) {
      let asked = 0;
      const end = dice.normal() * 10 ** dice.integer(-300, 300);
      const found = lastDouble((x) => ++asked > 0 && x <= end, k % 2 ? nextUp(end) : dice.normal());
      expect(found).toBe(end);
      expect(asked).toBeLessThan(k % 2 ? 10 : 200);
    }
  });
});
