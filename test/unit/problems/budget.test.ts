/** Budgets: work is counted up to the whole, the clock is a guard, and what struck is told. */
import { describe, expect, it } from 'vitest';
import { Budget, unlimited } from '../../../src/problems/budget.js';

/** A clock that stands still until it is set. */
function clockAt(start: number) {
  const clock = { time: start, reads: 0, now: () => 0 };
  clock.now = () => {
    clock.reads++;
    return clock.time;
  };
  return clock;
}

describe('a budget', () => {
  it('is spent by counted work, whatever the clock says', () => {
    const budget = new Budget(10, clockAt(0), 1);
    budget.spend(9);
    expect(budget.isSpent).toBe(false);
    budget.spend(1);
    expect(budget.isSpent).toBe(true);
    expect(budget.limitedBy).toBe('effort');
  });

  it('is spent by the clock at the latest, counted from the first question on', () => {
    const clock = clockAt(1000);
    const budget = new Budget(Infinity, clock, 50);
    expect(budget.isSpent).toBe(false);
    clock.time = 1051;
    budget.spend(1e6);
    expect(budget.isSpent).toBe(true);
    expect(budget.limitedBy).toBe('time');
  });

  it('does not read the clock for a row that asks nothing, and seldom for one that asks much', () => {
    const clock = clockAt(0);
    const budget = new Budget(1e9, clock, 50);
    budget.share(0.6).spend(100);
    expect(clock.reads).toBe(0);
    for (let k = 0; k < 320; k++) expect(budget.isSpent).toBe(false);
    expect(clock.reads).toBeLessThanOrEqual(12);
  });

  it('counts what its parts spend, and ends them with it', () => {
    const whole = new Budget(100, clockAt(0), 1);
    const part = whole.share(0.5);
    expect(part.effort).toBe(50);
    part.spend(40);
    expect(whole.spent).toBe(40);
    whole.spend(60);
    expect(part.isSpent).toBe(true);
  });

  it('remembers why a part ended, and that the clock struck above all', () => {
    const clock = clockAt(0);
    const whole = new Budget(100, clock, 100);
    const first = whole.share(0.1);
    first.spend(10);
    expect(first.isSpent).toBe(true);
    expect(whole.isSpent).toBe(false);
    expect(whole.limitedBy).toBe('effort');
    const second = whole.share(0.5);
    expect(second.isSpent).toBe(false);
    clock.time = 99;
    for (let k = 0; k < 40 && !second.isSpent; k++);
    expect(second.isSpent).toBe(true);
    expect(whole.limitedBy).toBe('time');
  });

  it('refuses work of an engine that is more than there is, says why, and leaves a little to everyone', () => {
    const whole = new Budget(5000, clockAt(0), 100);
    const part = whole.share(0.5);
    expect(part.refuses(2499)).toBe(false);
    expect(whole.limitedBy).toBe(null);
    expect(part.refuses(2500)).toBe(true);
    expect(whole.limitedBy).toBe('effort');
    expect(whole.spent).toBe(0);
    part.spend(2500);
    expect(part.refuses(1000)).toBe(false);
  });

  it('without limits never ends', () => {
    const budget = unlimited();
    budget.spend(1e300);
    expect(budget.isSpent).toBe(false);
    expect(budget.leftMs).toBe(Infinity);
    expect(budget.share(0.1).isSpent).toBe(false);
  });
});
