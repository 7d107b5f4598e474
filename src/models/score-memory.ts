/**
 * Scores of a model that is evaluated elsewhere: behind HTTP, in another engine, on another machine. The model computes nothing itself. Its
 * `raw` recalls the learned score of an input, or names the inputs that it misses (`ScoresNeeded`). The driver of the explanation has these
 * inputs scored and repeats the call.
 */

import { PointTable } from './point-table.js';

/** Raw outputs by input, for the explanation of one row. */
export class KnownScores extends PointTable<Float64Array> {}

/** Inputs whose raw outputs are not known yet. */
export class ScoresNeeded extends Error {
  /** Has no stack trace: the error is thrown for every point of a search that asks one by one, and the trace took a third of the step. */
  constructor(readonly inputs: readonly Float64Array[]) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super('the model is scored elsewhere: explain its rows through a driver that has its scores fetched');
    Error.stackTraceLimit = stackTraceLimit;
  }
}

export class ScoreMemory {
  private known = new KnownScores();

  /** Switches to the known scores of one row, because rows take turns. */
  use(known: KnownScores): void {
    this.known = known;
  }

  /** The memory keeps both arrays. The caller must not change them. */
  learn(x: Float64Array, raw: Float64Array): void {
    this.known.set(x, raw);
  }

  isKnown(x: Float64Array): boolean {
    return this.known.has(x);
  }

  /** Writes the raw output of an input. */
  recall(x: Float64Array, out: Float64Array): void {
    const raw = this.known.get(x);
    if (!raw) throw new ScoresNeeded([x.slice()]);
    out.set(raw);
  }
}
