/**
 * The scorer of one model behind a network. The model is opened with its first inputs, because a protocol may have to read the expected
 * inputs from the scorer. A failed opening is repeated with the next inputs.
 */
import { ElsewiseError } from '../documents/error.js';
import type { ScorerOf } from '../documents/scorer-document.js';
import type { PointScore, PointScorer, ScoredModel } from './point-scorer.js';
import { protocols } from './protocols/index.js';
import type { OpenModel, Protocol, RemoteType, Send } from './protocols/protocol.js';
import { ScorerFault } from './scorer-fault.js';
import type { ScorerClient } from './transport/scorer-client.js';

export class RemoteScorer implements PointScorer {
  #opening: Promise<OpenModel> | undefined;

  constructor(
    private readonly model: ScoredModel,
    private readonly client: ScorerClient,
  ) {}

  /** Rejects with a coded error. */
  async score(inputs: readonly Float64Array[]): Promise<readonly PointScore[]> {
    try {
      const open = await this.open();
      return inputs.length ? await open.score(inputs) : [];
    } catch (error) {
      throw error instanceof ScorerFault ? error.toError() : asCoded(error);
    }
  }

  private open(): Promise<OpenModel> {
    this.#opening ??= this.begin().catch((error) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  private async begin(): Promise<OpenModel> {
    const { scorer, timeoutMs, retries } = this.model.scoring;
    const send: Send = (call, points, read) => this.client.ask({ call, points, read, limits: { timeoutMs, retries } });
    this.client.checkAddress((scorer as ScorerOf<RemoteType>).url);
    const protocol = protocols[scorer.type as RemoteType] as Protocol;
    return protocol.open(this.model, scorer as never, send);
  }
}

function asCoded(error: unknown): ElsewiseError {
  return error instanceof ElsewiseError ? error : new ElsewiseError('scorer-invalid', (error as Error).message);
}
