/** The faults of one request to a scorer. The kinds are labels of `elsewise_scorer_failures_total`. */
import { ElsewiseError } from '../documents/error.js';

/**
 *   refused   the settings forbid the request     timeout, connection, status   the scorer did not answer
 *   too-long, not-json, shape, version, number    the scorer answered, and the answer does not match the model
 */
export type FaultKind =
  | 'refused'
  | 'timeout'
  | 'connection'
  | 'status'
  | 'too-long'
  | 'not-json'
  | 'shape'
  | 'version'
  | 'number';

const UNAVAILABLE: readonly FaultKind[] = ['timeout', 'connection', 'status'];

/** The message never quotes the answer of a scorer, which may contain personal data. */
export class ScorerFault extends Error {
  constructor(
    readonly kind: FaultKind,
    message: string,
    /** Whether a repeated request may succeed. */
    readonly isPassing = kind !== 'refused',
    /** The path in the document, if the fault concerns a part of it. */
    readonly path = '',
  ) {
    super(message);
  }

  /** Whether the scorer did not answer at all. */
  get isAbsence(): boolean {
    return UNAVAILABLE.includes(this.kind);
  }

  toError(): ElsewiseError {
    const code = this.kind === 'refused' ? 'scorer-refused' : this.isAbsence ? 'scorer-unavailable' : 'scorer-invalid';
    return new ElsewiseError(code, this.message, this.path);
  }
}
