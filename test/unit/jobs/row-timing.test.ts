/** Rows on a clock that only they move. */
import { describe, expect, it } from 'vitest';
import { timeRows } from '../../../src/jobs/threads/row-timing.js';

/** Rows by what each takes, the first time round and later. */
function timing(first: readonly number[], later: readonly number[] = first) {
  let nowMs = 1_000;
  let rounds = 0;
  const progress = new Int32Array(1).fill(-1);
  const solve = function* () {
    for (const ms of rounds++ === 0 ? first : later) {
      nowMs += ms;
      yield;
    }
  };
  const msPerRow = timeRows(solve, progress, () => nowMs);
  return { msPerRow, tookMs: nowMs - 1_000, solved: progress[0], rounds };
}

const rowsOf = (ms: number) => Array.from({ length: 32 }, () => ms);

describe('rows', () => {
  it('are solved over and over while they are fast, and the best round counts', () => {
    expect(timing(rowsOf(2), rowsOf(0.5))).toEqual({ msPerRow: 0.5, tookMs: 150, solved: 204, rounds: 7 });
  });

  it('are solved once when that takes long enough', () => {
    expect(timing(rowsOf(10))).toEqual({ msPerRow: 10, tookMs: 320, solved: 32, rounds: 1 });
  });

  it('are not all solved when they are slow', () => {
    expect(timing(rowsOf(250))).toEqual({ msPerRow: 250, tookMs: 750, solved: 3, rounds: 1 });
    expect(timing([5_000])).toEqual({ msPerRow: 5_000, tookMs: 5_000, solved: 1, rounds: 1 });
  });
});
