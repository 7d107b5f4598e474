/**
 * Every error as a problem document (RFC 9457) with a code of the one table of errors. What goes out is written for the
 * caller: a bug's own words and the address of Redis stay inside.
 */
import { z } from 'zod';
import { config } from '../config.js';
import { ElsewiseError, ERROR_CODES, type ErrorCode } from '../documents/error.js';
import { asRedisFailure } from '../store/redis/redis-failure.js';
import { isRedisTrouble } from '../store/redis/redis-trouble.js';
import { HTTP_STATUS } from './http-status.js';

const CODES = Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]];

export const problemSchema = z.strictObject({
  /** `urn:elsewise:error:<code>` */
  type: z.string(),
  /** What the code means. */
  title: z.string(),
  status: z.int(),
  /** The fault of this request. */
  detail: z.string(),
  code: z.enum(CODES),
  /** Where in the document or request; empty when it is not about a place. */
  path: z.string(),
  requestId: z.string(),
});

export type ProblemDetails = z.output<typeof problemSchema>;

/** In place of messages that are not meant for callers. */
const OWN_WORDS: Partial<Record<ErrorCode, string>> = {
  'redis-away': 'the store cannot be reached just now: try again',
  'redis-refused': 'the store refuses the server: its operator has to act',
  internal: 'an error of the server: the log has the details under the request id',
};

/** `status`: where another one says more than that of the code. */
export function problemOf(
  { code, path, message }: ElsewiseError,
  requestId: string,
  status: number = HTTP_STATUS[code].status,
): ProblemDetails {
  return {
    type: `urn:elsewise:error:${code}`,
    title: ERROR_CODES[code].meaning,
    status,
    detail: OWN_WORDS[code] ?? message,
    code,
    path,
    requestId,
  };
}

/** By what fastify says of a request that it refuses itself. */
const BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'bad-request',
  404: 'no-such-route',
  408: 'too-slow',
  413: 'too-large',
  415: 'unsupported-type',
  429: 'too-many-requests',
};

/** What a command would be told of its arguments is here about a request. */
function withoutCommandLine({ detail, path }: ElsewiseError): ElsewiseError {
  return new ElsewiseError('bad-request', detail, path);
}

export function asCoded(error: unknown): ElsewiseError {
  const known = asRedisFailure(config.store, error); // its words stay inside, only the code goes out
  if (known instanceof ElsewiseError) return known.code === 'usage' ? withoutCommandLine(known) : known;
  const { message = '', statusCode = 500 } = error as { message?: string; statusCode?: number };
  if (isRedisTrouble(error)) return new ElsewiseError('redis-away', message);
  return new ElsewiseError(BY_STATUS[statusCode] ?? 'internal', message);
}
