/** THE TABLE of HTTP statuses: one row for every code of documents/error.ts. */
import type { ErrorCode } from '../documents/error.js';

export interface HttpStatus {
  readonly status: number;
  /** The delay before a retry, for errors that may pass. */
  readonly retryAfterSeconds?: number;
}

export const HTTP_STATUS: Readonly<Record<ErrorCode, HttpStatus>> = {
  usage: { status: 400 },
  'bad-document': { status: 422 },
  'bad-probe': { status: 422 },
  'bad-row': { status: 422 },
  'bad-input': { status: 422 },
  'bad-json': { status: 400 },
  unsupported: { status: 422 },
  'not-known': { status: 404 },
  damaged: { status: 500 },
  conflict: { status: 409 },
  cancelled: { status: 410 },
  'redis-away': { status: 503, retryAfterSeconds: 5 },
  'redis-full': { status: 503, retryAfterSeconds: 5 },
  'redis-refused': { status: 503, retryAfterSeconds: 60 },
  'prepare-limit': { status: 422 },
  'scorer-unavailable': { status: 503, retryAfterSeconds: 5 },
  'scorer-invalid': { status: 422 },
  'scorer-refused': { status: 422 },
  'too-often': { status: 500 },
  interrupted: { status: 503, retryAfterSeconds: 1 },
  'thread-lost': { status: 503, retryAfterSeconds: 1 },
  'bad-request': { status: 400 },
  'not-authenticated': { status: 401 },
  'not-allowed': { status: 403 },
  'no-such-route': { status: 404 },
  'too-large': { status: 413 },
  'unsupported-type': { status: 415 },
  'not-acceptable': { status: 406 },
  'too-many-requests': { status: 429, retryAfterSeconds: 1 },
  'too-slow': { status: 408 },
  internal: { status: 500 },
};
