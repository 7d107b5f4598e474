/** The scorer of a model in a solver thread: a port to the thread that asks scorers. */
import type { MessagePort } from 'node:worker_threads';
import { ElsewiseError } from '../../documents/error.js';
import type { PointScore, PointScorer } from '../../scoring/point-scorer.js';
import type { ScoreReply, ScoreRequest } from './scorer-messages.js';

interface Pending {
  readonly count: number;
  resolve(scores: PointScore[]): void;
  reject(error: Error): void;
}

export class PortScorer implements PointScorer {
  readonly #port: MessagePort;
  readonly #rawOutputs: number;
  readonly #pending = new Map<number, Pending>();
  #requests = 0;
  #isClosed = false;

  constructor(port: MessagePort, rawOutputs: number) {
    this.#port = port;
    this.#rawOutputs = rawOutputs;
    port.on('message', (reply: ScoreReply) => this.#settle(reply));
    port.on('close', () => this.#fail());
  }

  score(inputs: readonly Float64Array[]): Promise<PointScore[]> {
    if (this.#isClosed) return Promise.reject(threadGone());
    const id = this.#requests++;
    const count = inputs.length;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { count, resolve, reject });
      const flat = flatten(inputs);
      this.#port.postMessage({ id, count, inputs: flat } satisfies ScoreRequest, [flat.buffer]);
    });
  }

  close(): void {
    this.#port.close();
  }

  #settle({ id, raws, failures }: ScoreReply): void {
    const { count, resolve } = this.#pending.get(id)!;
    this.#pending.delete(id);
    const width = this.#rawOutputs;
    const scores: PointScore[] = Array.from({ length: count }, (_, k) => raws.subarray(k * width, (k + 1) * width));
    for (const { at, code, message } of failures) scores[at] = new ElsewiseError(code, message);
    resolve(scores);
  }

  #fail(): void {
    this.#isClosed = true;
    for (const { reject } of this.#pending.values()) reject(threadGone());
    this.#pending.clear();
  }
}

/** Concatenates the inputs, in memory that is transferred to the other thread. */
function flatten(inputs: readonly Float64Array[]): Float64Array<ArrayBuffer> {
  const width = inputs[0]?.length ?? 0;
  const flat = new Float64Array(inputs.length * width);
  for (const [k, input] of inputs.entries()) flat.set(input, k * width);
  return flat;
}

function threadGone(): ElsewiseError {
  return new ElsewiseError('scorer-unavailable', 'the thread that asks scorers has ended');
}
