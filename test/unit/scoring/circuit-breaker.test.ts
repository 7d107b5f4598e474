/** The circuit breaker on a clock that the test moves. */
import { describe, expect, it } from 'vitest';
import { type BreakerClock, CircuitBreaker } from '../../../src/scoring/transport/circuit-breaker.js';

/** Time passes only in sleeps, at once. */
function fastClock(): BreakerClock {
  let ms = 0;
  return {
    now: () => ms,
    sleep: async (length) => {
      ms += length;
    },
  };
}

function opened() {
  const clock = fastClock();
  const changes: boolean[] = [];
  const breaker = new CircuitBreaker(clock, (isOpen) => changes.push(isOpen));
  for (let k = 0; k < 5; k++) breaker.failed();
  return { clock, breaker, changes };
}

describe('a circuit breaker', () => {
  it('opens after failures in a row only', () => {
    const breaker = new CircuitBreaker(fastClock());
    for (let k = 0; k < 20; k++) {
      breaker.failed();
      breaker.failed();
      breaker.succeeded();
    }
    expect(breaker.isOpen).toBe(false);
    expect(opened().breaker.isOpen).toBe(true);
  });

  it('lets one request try after a pause, and all after its answer', async () => {
    const { clock, breaker, changes } = opened();
    expect(await breaker.pass(60_000)).toBe(true);
    expect(clock.now()).toBeGreaterThanOrEqual(250);
    let others = 0;
    const waiting = [breaker.pass(Infinity), breaker.pass(Infinity)].map((passed) => passed.then(() => others++));
    await Promise.resolve();
    expect(others).toBe(0);
    breaker.succeeded();
    await Promise.all(waiting);
    expect(others).toBe(2);
    expect(changes).toEqual([true, false]);
  });

  it('waits longer after each trial that failed', async () => {
    const { clock, breaker } = opened();
    const pauses: number[] = [];
    for (let k = 0; k < 8; k++) {
      const before = clock.now();
      await breaker.pass(Infinity);
      pauses.push(clock.now() - before);
      breaker.failed();
    }
    expect(pauses.slice(0, 3)).toEqual([250, 500, 1000]);
    expect(pauses.at(-1)).toBe(5000);
  });

  it('says no when the patience is over', async () => {
    const { clock, breaker } = opened();
    expect(await breaker.pass(100)).toBe(false);
    expect(clock.now()).toBe(100);
  });
});
