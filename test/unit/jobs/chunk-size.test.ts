import { describe, expect, it } from 'vitest';
import { createTally } from '../../../src/jobs/results/tally.js';
import { LearnedChunkSize, rowsWithin } from '../../../src/jobs/rows/chunk-size.js';

function sizeAfter(...msPerRow: number[]): number {
  const size = new LearnedChunkSize(100);
  for (const ms of msPerRow) {
    const tally = createTally();
    tally.rows = 10;
    tally.elapsedMs.sum = 10 * ms;
    size.learn(tally);
  }
  return size.rows;
}

describe('the size of a chunk', () => {
  it('is small before anything is known', () => {
    expect(sizeAfter()).toBe(32);
  });

  it.each([
    [0, 1000],
    [0.97, 100],
    [25, 4],
    [5000, 1],
  ])('follows the time that a row takes: %d ms', (ms, rows) => {
    expect(sizeAfter(ms)).toBe(rows);
  });

  it('is the same for one time of a row, whether measured or learned', () => {
    for (const ms of [0, 0.01, 0.5, 3, 70, 1e6]) expect(sizeAfter(ms, ms, ms)).toBe(rowsWithin(100, ms));
    expect(rowsWithin(500, 2.47)).toBe(200);
  });

  it('does not jump because of one chunk', () => {
    expect(sizeAfter(1, 1, 100)).toBeGreaterThan(sizeAfter(100));
  });
});
