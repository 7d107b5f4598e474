/**
 * Request bodies with backpressure and a time limit. A client that sends nothing while the server waits is disconnected. A client that
 * waits for the server is never disconnected.
 */
import type { IncomingMessage } from 'node:http';
import { ElsewiseError } from '../documents/error.js';

/**
 * The bytes of a body that are read before they are asked for. The end of a connection arrives behind the bytes that were sent: while the
 * server waits (for room in Redis), it learns only from reading on that the client is gone.
 */
const AHEAD_BYTES = 1_048_576;
/** How long the rest of a body is discarded after an early answer, so that the client reads the answer. */
const LINGER_MS = 2_000;

/**
 * The pieces of a body. An early end of the reading does not break the connection, because the answer is still to be sent over it. After
 * the answer, `gone` is aborted and the rest is discarded (see `linger`). The discarded end must not be mistaken for the end of the body.
 */
export async function* receive(body: IncomingMessage, idleMs: number, gone?: AbortSignal): AsyncGenerator<Uint8Array> {
  const pieces = new PiecesAhead(body.iterator({ destroyOnReturn: false }));
  try {
    for (;;) {
      const { done, value } = await within(idleMs, pieces.next());
      gone?.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    pieces.stop();
  }
}

/** Reads on while nobody asks, up to the limit. */
class PiecesAhead {
  readonly #pieces: AsyncIterator<Uint8Array>;
  /** Pieces that nobody has asked for yet, and in the end the end. */
  readonly #held: Piece[] = [];
  #heldBytes = 0;
  #isReading = false;
  #isOver = false;
  #arrived = () => {};

  constructor(pieces: AsyncIterator<Uint8Array>) {
    this.#pieces = pieces;
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    void this.#readOn();
    while (this.#held.length === 0) await new Promise<void>((resolve) => (this.#arrived = resolve));
    const piece = this.#held.shift()!;
    if (piece instanceof ElsewiseError) throw piece;
    this.#heldBytes -= piece.value?.length ?? 0;
    void this.#readOn();
    return piece;
  }

  stop(): void {
    this.#isOver = true;
  }

  async #readOn(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    while (!this.#isOver && this.#heldBytes < AHEAD_BYTES) {
      const piece = await nextPiece(this.#pieces);
      this.#isOver ||= piece instanceof ElsewiseError || piece.done === true;
      this.#heldBytes += piece instanceof ElsewiseError ? 0 : (piece.value?.length ?? 0);
      this.#held.push(piece);
      this.#arrived();
    }
    this.#isReading = false;
  }
}

type Piece = IteratorResult<Uint8Array, undefined> | ElsewiseError;

async function nextPiece(pieces: AsyncIterator<Uint8Array>): Promise<Piece> {
  try {
    return await pieces.next();
  } catch {
    return new ElsewiseError('interrupted', 'the body ended before it was complete', 'body');
  }
}

/** The whole body. A declared length above the limit is refused before reading. */
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

/** Discards the rest of a body for a while, then ends the connection. */
export function linger(body: IncomingMessage): void {
  if (body.complete || body.destroyed) return;
  body.on('error', () => {});
  body.removeAllListeners('readable'); // left by a reader that stopped: with this listener no data would flow
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
