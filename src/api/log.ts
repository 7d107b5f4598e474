/**
 * The log: one JSON line for each request, with its id, route, status and time. The log contains no personal data unless `logRows` is set:
 * no URL (URLs contain ids), no body, and no text of an error, which may quote a value.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { ApiSettings } from './settings.js';

export function createLog({ logLevel, logRows }: ApiSettings, destination: DestinationStream): Logger {
  return pino(
    {
      level: logLevel,
      base: { service: 'elsewise-api' },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (error: Error) => describeError(error, logRows), req: () => undefined, res: () => undefined },
    },
    destination,
  );
}

/** The stack of an error is always logged, its message only with `logRows`. */
function describeError(error: Error, withWords: boolean): object {
  const { name, message, stack = '', code } = error as Error & { code?: string };
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return { type: name, code, ...(withWords && { message }), stack: frames.join('\n') };
}

/** Undefined if the body is not JSON. */
function valueOfBody(bytes: Buffer | undefined): unknown {
  try {
    return bytes && JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

export function logEnd(request: FastifyRequest, reply: FastifyReply, route: string, logRows: boolean): void {
  const isAborted = !reply.raw.writableFinished;
  const line = {
    method: request.method,
    route,
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 10) / 10,
    caller: request.caller?.name,
    code: request.failure,
    ...(isAborted && { aborted: true }),
    ...(logRows && { url: request.url, body: valueOfBody(request.taken) }),
  };
  request.log[reply.statusCode >= 500 && !isAborted ? 'error' : 'info'](line, 'request');
}
