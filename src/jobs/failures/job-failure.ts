/** The end of a job that cannot continue, in a form with which BullMQ retries only failures that may pass. */
import { UnrecoverableError } from 'bullmq';
import { ElsewiseError, type PlacedFault, placeOf, type StoredError } from '../../documents/error.js';
import { isStalledTooOften } from './bullmq-words.js';
import { FAILURES, type FailureCode } from './failures.js';

/** A permanent failure, with the code and the place for its record. */
export class JobFailure extends UnrecoverableError {
  readonly code: string;
  readonly path: string | undefined;
  readonly faults: readonly PlacedFault[] | undefined;

  constructor(code: string, message: string, { path, faults }: Pick<StoredError, 'path' | 'faults'> = {}) {
    super(`${code}: ${message}`);
    this.code = code;
    this.path = path;
    this.faults = faults;
  }
}

/** Bad content fails at once. A lost thread, a broken connection and an unforeseen error are retried. */
export function asJobError(error: unknown): unknown {
  return isRetried(error) ? error : new JobFailure(codeOf(error), (error as Error).message, placeOf(error));
}

export function isRetried(error: unknown): boolean {
  if (error instanceof JobFailure) return false;
  return !(error instanceof ElsewiseError) || FAILURES[error.code].reaction === 'retry';
}

export function codeOf(error: unknown): FailureCode {
  const { code, message } = error as { code?: string; message?: string };
  if (code !== undefined && Object.hasOwn(FAILURES, code)) return code as FailureCode;
  return isStalledTooOften(message ?? '') ? 'too-often' : 'failed';
}

/** A failure from the message that BullMQ keeps. */
export function failureOf(reason: string): Error {
  const { code = '', message = '' } = /^(?<code>[a-z-]+): (?<message>.*)$/s.exec(reason)?.groups ?? {};
  return Object.hasOwn(FAILURES, code) ? new JobFailure(code, message) : new Error(reason);
}

/** The message without the code prefix of a JobFailure. */
export function reasonOf(error: Error): string {
  return error instanceof JobFailure ? error.message.slice(error.code.length + 2) : error.message;
}
