/**
 * Scores of a model that is evaluated elsewhere: behind HTTP, in another engine, on another machine. The model computes nothing
 * itself. Its `raw` recalls the learned score of an input, or names the inputs that it misses (`ScoresNeeded`). The driver of the
 * explanation has these inputs scored and asks again.
 */

import { PointTable } from './point-table.js';

/** Raw outputs by input, of one row's explanation. */
export class KnownScores extends PointTable<Float64Array> {}

/** Inputs whose raw outputs are not known yet. */
export class ScoresNeeded extends Error {
  /** Without a stack: it is thrown for every point of a search that asks one by one, and the trace took a third of the step. */
  constructor(readonly inputs: readonly Float64Array[]) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super('the model is scored elsewhere: explain its rows through a driver that has its scores fetched');
    Error.stackTraceLimit = stackTraceLimit;
  }
}

export class ScoreMemory {
  private known = new KnownScores();

  /** Goes on with what is known for one row: rows take turns. */
  use(known: KnownScores): void {
    this.known = known;
  }

  /** Both arrays are kept, and must not change. */
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
