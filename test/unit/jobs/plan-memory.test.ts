import { describe, expect, it } from 'vitest';
import { config } from '../../../src/config.js';
import { PlanLedger, planShareBytes } from '../../../src/jobs/threads/plan-memory.js';

describe('memory of plans', () => {
  it('is divided among threads', () => {
    expect(4 * planShareBytes(4)).toBe(config.worker.planMemoryMb * 2 ** 20);
  });
});

describe('the ledger', () => {
  const use = (thread: number, hits: number, misses: number, plans: number, bytes: number) => ({
    ...{ thread, hits, misses, plans, bytes },
    evictions: 0,
    engineLoads: plans,
  });

  it('adds up what threads report of themselves, the latest of each', () => {
    const ledger = new PlanLedger();
    ledger.note(use(1, 0, 1, 1, 10));
    ledger.note(use(1, 5, 2, 2, 30));
    ledger.note(use(2, 1, 1, 1, 10));
    expect(ledger.total([1, 2])).toEqual({ hits: 6, misses: 3, evictions: 0, plans: 3, bytes: 40, engineLoads: 3 });
  });

  it('forgets what a lost thread kept, but not what it was asked', () => {
    const ledger = new PlanLedger();
    ledger.note(use(1, 5, 2, 2, 30));
    expect(ledger.total([3])).toEqual({ hits: 5, misses: 2, evictions: 0, plans: 0, bytes: 0, engineLoads: 0 });
    ledger.note(use(3, 1, 1, 1, 10));
    expect(ledger.total([3])).toEqual({ hits: 6, misses: 3, evictions: 0, plans: 1, bytes: 10, engineLoads: 1 });
  });
});
