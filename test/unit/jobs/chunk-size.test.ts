import { describe, expect, it } from 'vitest';
import { ChunkSize } from '../../../src/jobs/bulk/chunk-size.js';
import { createTally } from '../../../src/jobs/results/tally.js';

function sizeAfter(...msPerRow: number[]): number {
  const size = new ChunkSize();
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
    [0, 1024],
    [0.98, 100],
    [25, 4],
    [5000, 1],
  ])('follows the time that a row takes: %d ms', (ms, rows) => {
    expect(sizeAfter(ms)).toBe(rows);
  });

  it('does not jump because of one chunk', () => {
    expect(sizeAfter(1, 1, 100)).toBeGreaterThan(sizeAfter(100));
  });
});
