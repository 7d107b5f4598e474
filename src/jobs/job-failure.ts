/** How a job ends that cannot go on: told to BullMQ so that it retries what may get better and nothing else. */
import { UnrecoverableError } from 'bullmq';
import { ElsewiseError, ERROR_CODES } from '../documents/error.js';

/** Failed for good. Carries the code for whoever records it. */
export class JobFailure extends UnrecoverableError {
  readonly code: string;

  constructor(code: string, message: string) {
    super(`${code}: ${message}`);
    this.code = code;
  }
}

/** Bad content fails at once; a lost thread, a connection that broke and what nobody foresaw are tried again. */
export function asJobError(error: unknown): unknown {
  if (!(error instanceof ElsewiseError) || ERROR_CODES[error.code].retry) return error;
  return new JobFailure(error.code, error.message);
}

export function codeOf(error: Error): string {
  return (error as { code?: string }).code ?? 'failed';
}
