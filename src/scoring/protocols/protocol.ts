/** The protocol of a kind of scorer. A protocol opens a model once, with its own requests if necessary, and then scores inputs. */
import type { ScorerOf } from '../../documents/scorer-document.js';
import type { PointScore, ScoredModel } from '../point-scorer.js';
import type { ScorerCall } from '../transport/http-exchange.js';

export type RemoteType = 'http' | 'mlflow' | 'open-inference';

/** Sends a request and reads its answer. The sender handles retries and limits. */
export type Send = <T>(call: ScorerCall, points: number, read: (answer: unknown) => T) => Promise<T>;

export interface OpenModel {
  /** One request for all inputs. */
  score(inputs: readonly Float64Array[]): Promise<readonly PointScore[]>;
}

export interface Protocol<T extends RemoteType = RemoteType> {
  /** Throws or rejects if document and scorer do not fit. */
  open(model: ScoredModel, scorer: ScorerOf<T>, send: Send): OpenModel | Promise<OpenModel>;
}

/** The address of a resource below the address of the scorer. */
export function below(url: string, ...segments: string[]): URL {
  const path = segments.map(encodeURIComponent).join('/');
  return new URL(`${url.replace(/\/+$/, '')}/${path}`);
}

/** An object of an answer, or an empty object. The reader reports a missing key. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
