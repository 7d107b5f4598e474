/** The report of one scoring attempt for metrics, over the network or by a runtime in the process. */
import type { PointScore } from './point-scorer.js';
import { ScorerFault } from './scorer-fault.js';

export interface AttemptReport {
  /** `host:port`, or `onnx` for all files. */
  readonly host: string;
  readonly seconds: number;
  readonly points: number;
  /** `ok`, or the kind of fault. */
  readonly outcome: string;
}

/** The outcome of a received answer. Some of its scores may be errors. */
export const outcomeOf = (answer: unknown): string =>
  Array.isArray(answer) && (answer as PointScore[]).some((score) => score instanceof Error) ? 'number' : 'ok';

/** Errors without a kind come from files and runtimes. */
export const faultOutcome = (error: unknown): string => (error instanceof ScorerFault ? error.kind : 'refused');
