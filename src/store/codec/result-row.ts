/**
 * A stored result without the parts that many results share. A result repeats keys, names, digests and each number of a row up to
 * three times, and the results of one plan are similar. A row keeps:
 *
 *   terms    model, policy, seed, names of the features: the same for all results of a plan
 *   shape    all text: status, target, predictions, solvers, kinds of proofs. There are few shapes.
 *   values   the values of the features by index; for an answer the values of the changed features, which are a set of indices
 *   numbers  score, times; for an answer cost, bound, distances
 *   text     id; reasons, regions, paths and plausibilities as JSON
 *
 * `changes` follow from the values. row-maker.ts makes rows from documents, result-line.ts makes lines from rows.
 */
import type { RowValue } from '../../documents/model-document.js';
import type {
  Attempt,
  DecidedDocument,
  LeverDocument,
  Proof,
  ResultDocument,
} from '../../documents/result-document.js';

/** The form of a prediction: its class, or a number. */
export type Shown = { readonly class: string } | 'number';

export interface Shape {
  readonly status: ResultDocument['status'];
  readonly target: ResultDocument['target'];
  readonly factual: Shown | null;
  readonly decision?: DecidedDocument;
  readonly counterfactuals: readonly AnswerShape[];
  readonly hasReason: boolean;
  readonly hasReasons?: true;
  readonly levers?: readonly LeverShape[];
  readonly attempts: readonly Omit<Attempt, 'ms'>[];
  readonly degraded: boolean;
  readonly limitedBy?: ResultDocument['limitedBy'];
}

export interface AnswerShape {
  readonly shown: Shown;
  readonly solver: string;
  readonly proof: Proof['kind'];
  readonly hasRegion: boolean;
  /** Undefined: the model has no bands. */
  readonly band?: string | null;
  readonly lever?: string;
  readonly hasPath?: boolean;
  readonly hasPlausibility?: boolean;
}

export interface LeverShape extends Omit<LeverDocument, 'reason'> {
  readonly hasReason: boolean;
}

/** The part that all results of a plan share. */
export interface Terms {
  readonly common: Pick<ResultDocument, 'schema' | 'model' | 'policy' | 'defaults' | 'seed'>;
  /** Empty until a result has features. */
  readonly names: readonly string[];
}

/** The model's output at a point. `prediction` is set if it is no class. */
interface Standing {
  readonly prediction: number | undefined;
  readonly score: number;
}

export interface RowFactual extends Standing {
  readonly values: readonly RowValue[];
}

export interface RowAnswer extends Standing {
  /** The changed features, by index, ascending. */
  readonly set: readonly number[];
  /** The values of the changed features. */
  readonly values: readonly RowValue[];
  readonly cost: number;
  readonly l1: number;
  readonly l2: number;
  /** Undefined for an answer without a proof. */
  readonly bound: { readonly lower: number; readonly gap: number } | undefined;
  readonly region: string | undefined;
  readonly path: string | undefined;
  readonly plausibility: string | undefined;
}

/** The kind of proof without a bound. */
export const UNPROVED: Proof['kind'] = 'heuristic';

export class ResultRow {
  constructor(
    readonly terms: Terms,
    readonly shape: Shape,
    readonly id: string,
    readonly elapsedMs: number,
    readonly attemptMs: readonly number[],
    readonly reason: string | undefined,
    readonly factual: RowFactual | undefined,
    readonly answers: readonly RowAnswer[],
    /** The reasons of the levers that have one. */
    readonly leverReasons: readonly string[],
    /** The features that cost the row most, where the policy asks for them. */
    readonly reasons: string | undefined,
  ) {}

  /** The result of another row with the same content. */
  withId(id: string): ResultRow {
    const { terms, shape, elapsedMs, attemptMs, reason, factual, answers, leverReasons, reasons } = this;
    return new ResultRow(terms, shape, id, elapsedMs, attemptMs, reason, factual, answers, leverReasons, reasons);
  }
}

/** The distances of an answer, computed from its numbers as in result documents. The guess is mostly right. */
export function guessDistances(
  before: readonly RowValue[],
  set: readonly number[],
  after: readonly RowValue[],
): { l1: number; l2: number } {
  let l1 = 0;
  let squares = 0;
  for (let i = 0; i < set.length; i++) {
    const [from, to] = [before[set[i]], after[i]];
    const delta = typeof from === 'number' && typeof to === 'number' ? Math.abs(to - from) : 1;
    l1 += delta;
    squares += delta * delta;
  }
  return { l1, l2: Math.sqrt(squares) };
}
