/**
 * Every error as a problem document (RFC 9457) with a code from the table of errors. The text is written for the caller: the message of a
 * bug and the address of Redis stay inside.
 */
import { z } from 'zod';
import { config } from '../config.js';
import { listOf } from '../documents/collections.js';
import { ElsewiseError, ERROR_CODES, type ErrorCode } from '../documents/error.js';
import { asRedisFailure } from '../store/redis/redis-failure.js';
import { isRedisTrouble } from '../store/redis/redis-trouble.js';
import { HTTP_STATUS } from './http-status.js';

const CODES = Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]];

export const problemSchema = z.strictObject({
  /** `urn:elsewise:error:<code>` */
  type: z.string(),
  /** The meaning of the code. */
  title: z.string(),
  status: z.int(),
  /** The fault of this request. */
  detail: z.string(),
  code: z.enum(CODES),
  /** The path in the document or request; empty if the error has no place. */
  path: z.string(),
  /** All faults of a document with their paths, where the request has several parts that can be wrong. */
  faults: listOf(z.strictObject({ path: z.string(), message: z.string() })).optional(),
  requestId: z.string(),
});

export type ProblemDetails = z.output<typeof problemSchema>;

/** Texts in place of messages that are not for callers. */
const OWN_WORDS: Partial<Record<ErrorCode, string>> = {
  'redis-away': 'the store cannot be reached just now: try again',
  'redis-refused': 'the store refuses the server: its operator has to act',
  internal: 'an error of the server: the log has the details under the request id',
};

/** The options of tables, which messages name as the command line does, as parameters of a request. A request has no `--target`. */
export function inRequestWords(text: string): string {
  return text
    .replace(/give --target T, "target" in the policy,/, 'give "target" in the policy')
    .replaceAll(/--(delimiter|encoding|decimal)\b(?: ([,.]))?/g, (_, name: string, value?: string) =>
      value ? `?${name}=${value}` : `?${name}`,
    );
}

/** `status`: overrides the status of the code where another one is more exact. */
export function problemOf(
  { code, path, message, faults }: ElsewiseError,
  requestId: string,
  status: number = HTTP_STATUS[code].status,
): ProblemDetails {
  return {
    type: `urn:elsewise:error:${code}`,
    title: ERROR_CODES[code].meaning,
    status,
    detail: OWN_WORDS[code] ?? inRequestWords(message),
    code,
    path,
    ...(faults.length > 0 && { faults: [...faults] }),
    requestId,
  };
}

/** By the status with which fastify itself refuses a request. */
const BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'bad-request',
  404: 'no-such-route',
  408: 'too-slow',
  413: 'too-large',
  415: 'unsupported-type',
  429: 'too-many-requests',
};

/** A usage error of a command becomes an error of the request. */
function withoutCommandLine({ detail, path, faults }: ElsewiseError): ElsewiseError {
  return new ElsewiseError('bad-request', detail, path, faults);
}

export function asCoded(error: unknown): ElsewiseError {
  const known = asRedisFailure(config.store, error); // the message stays inside, only the code is sent
  if (known instanceof ElsewiseError) return known.code === 'usage' ? withoutCommandLine(known) : known;
  const { message = '', statusCode = 500 } = error as { message?: string; statusCode?: number };
  if (isRedisTrouble(error)) return new ElsewiseError('redis-away', message);
  return new ElsewiseError(BY_STATUS[statusCode] ?? 'internal', message);
}
