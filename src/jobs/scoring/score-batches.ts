/**
 * Points of many rows in common requests. A scorer behind a network costs its latency per request and little per point: what rows
 * want at the same moment travels together, in requests of a bounded size, a bounded number of them at a time.
 */

/** Raw outputs of model inputs, in their order. */
export interface PointScorer {
  score(inputs: readonly Float64Array[]): Promise<readonly Float64Array[]>;
}

export interface BatchLimits {
  /** Points of one request. */
  readonly pointsPerRequest: number;
  readonly requestsAtOnce: number;
}

interface Waiting {
  readonly input: Float64Array;
  resolve(raw: Float64Array): void;
  reject(error: unknown): void;
}

export class ScoreBatches {
  readonly #scorer: PointScorer;
  readonly #limits: BatchLimits;
  #waiting: Waiting[] = [];
  #underWay = 0;
  #isPlanned = false;

  constructor(scorer: PointScorer, limits: BatchLimits) {
    this.#scorer = scorer;
    this.#limits = limits;
  }

  /** The raw outputs of all inputs, once each has been scored in some request. */
  score(inputs: readonly Float64Array[]): Promise<Float64Array[]> {
    const raws = inputs.map(
      (input) => new Promise<Float64Array>((resolve, reject) => this.#waiting.push({ input, resolve, reject })),
    );
    this.#plan();
    return Promise.all(raws);
  }

  /** After all rows that can go on now have said what they want. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      this.#send();
    });
  }

  #send(): void {
    const { pointsPerRequest, requestsAtOnce } = this.#limits;
    while (this.#waiting.length && this.#underWay < requestsAtOnce) {
      const batch = this.#waiting.splice(0, pointsPerRequest);
      this.#underWay++;
      void this.#request(batch).finally(() => {
        this.#underWay--;
        this.#plan();
      });
    }
  }

  async #request(batch: readonly Waiting[]): Promise<void> {
    try {
      const raws = await this.#scorer.score(batch.map(({ input }) => input));
      if (raws.length !== batch.length)
        throw new Error(`the scorer gave ${raws.length} scores for ${batch.length} points`);
      for (const [k, { resolve }] of batch.entries()) resolve(raws[k]);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
