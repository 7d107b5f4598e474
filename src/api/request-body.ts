/**
 * Request bodies with backpressure and a limit of time. A client that sends nothing while the server waits is given up. A client
 * that waits for the server is never given up.
 */
import type { IncomingMessage } from 'node:http';
import { ElsewiseError } from '../documents/error.js';

/** After an answer that did not need the whole body: so long it is still thrown away, that the client gets to the answer. */
const LINGER_MS = 2_000;

/**
 * The pieces of a body. Leaving off early does not break the connection: the answer has yet to go over it. Once that is given,
 * `gone` is aborted and the rest is thrown away (see `linger`): what comes then must not be taken for the end of the body.
 */
export async function* receive(body: IncomingMessage, idleMs: number, gone?: AbortSignal): AsyncGenerator<Uint8Array> {
  const pieces = body.iterator({ destroyOnReturn: false });
  for (;;) {
    const { done, value } = await within(idleMs, nextPiece(pieces));
    gone?.throwIfAborted();
    if (done) return;
    yield value;
  }
}

async function nextPiece(pieces: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
  try {
    return await pieces.next();
  } catch {
    throw new ElsewiseError('interrupted', 'it broke off', 'body');
  }
}

/** The whole body. A declared length above the limit is refused before anything is read. */
export async function receiveWhole(body: IncomingMessage, limit: number, timeoutMs: number): Promise<Buffer> {
  if (Number(body.headers['content-length']) > limit) throw tooLarge(limit);
  return within(timeoutMs, collect(body, limit, timeoutMs));
}

async function collect(body: IncomingMessage, limit: number, idleMs: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of receive(body, idleMs)) {
    bytes += piece.length;
    if (bytes > limit) throw tooLarge(limit);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Throws the rest of a body away for a while, then ends the connection. */
export function linger(body: IncomingMessage): void {
  if (body.complete || body.destroyed) return;
  body.on('error', () => {});
  body.removeAllListeners('readable'); // of a reader that left off: with it, nothing would flow
  setImmediate(() => body.resume());
  const timer = setTimeout(() => body.complete || body.socket.destroy(), LINGER_MS);
  body.once('close', () => clearTimeout(timer));
}

function tooLarge(limit: number): ElsewiseError {
  return new ElsewiseError('too-large', `the limit is ${limit} bytes`, 'body');
}

async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const error = new ElsewiseError('too-slow', `no data arrived for ${timeoutMs / 1000} s`, 'body');
    timer = setTimeout(() => reject(error), timeoutMs);
  });
  work.catch(() => {}); // its outcome after the limit does not matter
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
