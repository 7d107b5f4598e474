/**
 * The number of rows in a chunk: as many as a thread answers in a given time. The first chunk is small, because the time of a row is not
 * known yet. The size of a chunk has no influence on results.
 */
import type { LoadedModel } from '../../models/load.js';
import type { Tally } from '../results/tally.js';

export const FIRST_ROWS = 32;
/** More rows gain nothing, and a chunk stays small in memory. */
export const MAX_ROWS = 1_000;
/** Time for parsing, formatting and packing, which the time of a result does not include. */
const OVERHEAD_MS_PER_ROW = 0.03;

/** `msPerRow`: the time of a row in its solvers. */
export function rowsWithin(targetMs: number, msPerRow: number): number {
  return Math.max(1, Math.min(MAX_ROWS, Math.round(targetMs / (msPerRow + OVERHEAD_MS_PER_ROW))));
}

/** For a model that is scored elsewhere: the rows of a chunk share their requests, and the time of a row is mostly waiting. */
export const SCORED_ROWS = 500;
/** The assumed time of such a row for chunks of a batch, whose size follows from the time. */
export const SCORED_MS_PER_ROW = 1;

export interface ChunkSize {
  readonly rows: number;
  learn(tally: Tally): void;
}

export function chunkSizeOf({ model }: Pick<LoadedModel, 'model'>, targetMs: number): ChunkSize {
  return model.memory ? { rows: SCORED_ROWS, learn: () => {} } : new LearnedChunkSize(targetMs);
}

/** Weight of the earlier estimate. */
const MEMORY = 0.7;

/** The size of the next chunk of a run, by the times of the chunks before. */
export class LearnedChunkSize implements ChunkSize {
  readonly #targetMs: number;
  #msPerRow: number | undefined;

  constructor(targetMs: number) {
    this.#targetMs = targetMs;
  }

  get rows(): number {
    return this.#msPerRow === undefined ? FIRST_ROWS : rowsWithin(this.#targetMs, this.#msPerRow);
  }

  learn({ rows, elapsedMs }: Tally): void {
    const seen = elapsedMs.sum / rows;
    this.#msPerRow = this.#msPerRow === undefined ? seen : MEMORY * this.#msPerRow + (1 - MEMORY) * seen;
  }
}
