/**
 * How many rows make a chunk: as many as a thread answers in about a tenth of a second. Larger chunks gain nothing any
 * more, and smaller ones keep progress smooth, interruptions short and threads evenly busy. It has no influence on results.
 */
import type { Tally } from '../results/tally.js';

const TARGET_MS = 100;
const FIRST_ROWS = 32;
const MAX_ROWS = 1024;
/** Parsing and formatting, which results do not count as theirs. */
const OVERHEAD_MS_PER_ROW = 0.02;
/** Weight of what was known before. */
const MEMORY = 0.7;

export class ChunkSize {
  #msPerRow: number | undefined;

  get rows(): number {
    if (this.#msPerRow === undefined) return FIRST_ROWS;
    return Math.max(1, Math.min(MAX_ROWS, Math.round(TARGET_MS / this.#msPerRow)));
  }

  learn({ rows, elapsedMs }: Tally): void {
    const seen = OVERHEAD_MS_PER_ROW + elapsedMs.sum / rows;
    this.#msPerRow = this.#msPerRow === undefined ? seen : MEMORY * this.#msPerRow + (1 - MEMORY) * seen;
  }
}
