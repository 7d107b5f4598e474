/** All messages between the thread that asks scorers, the main thread and the solver threads. */
import type { MessagePort } from 'node:worker_threads';
import type { AttemptReport } from '../../scoring/attempt-report.js';
import type { ScorerCode } from '../../scoring/failure-codes.js';
import type { ScoredModel } from '../../scoring/point-scorer.js';

/** Main thread -> scorer thread: a solver thread will ask for scores of this model. */
export interface Connection {
  readonly model: ScoredModel;
  readonly port: MessagePort;
}

/** Solver thread -> scorer thread: concatenated inputs. */
export interface ScoreRequest {
  readonly id: number;
  readonly count: number;
  readonly inputs: Float64Array;
}

/** Back: concatenated raw outputs, and the inputs without one. */
export interface ScoreReply {
  readonly id: number;
  readonly raws: Float64Array;
  readonly failures: readonly PointFailure[];
}

export interface PointFailure {
  readonly at: number;
  readonly code: ScorerCode;
  readonly message: string;
}

/** Scorer thread, or a solver thread that scores an ONNX file -> main thread, for metrics. */
export type ScorerNews =
  | { readonly kind: 'attempt'; readonly report: AttemptReport }
  | { readonly kind: 'breaker'; readonly host: string; readonly isOpen: boolean };
