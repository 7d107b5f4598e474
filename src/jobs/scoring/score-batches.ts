/**
 * Points of many rows in common requests. A scorer behind a network costs its latency per request and little per point: what rows
 * want at the same moment travels together, in requests of a bounded size, a bounded number of them at a time. An input that several
 * rows want at the same time is asked for once.
 */
import type { ElsewiseError } from '../../documents/error.js';
import { keyOf } from '../../models/score-memory.js';
import type { PointScore, PointScorer } from '../../scoring/point-scorer.js';

export interface BatchLimits {
  /** Points of one request. */
  readonly pointsPerRequest: number;
  readonly requestsAtOnce: number;
}

interface Waiting {
  readonly input: Float64Array;
  resolve(raw: PointScore): void;
}

export class ScoreBatches {
  readonly #scorer: PointScorer;
  readonly #limits: BatchLimits;
  readonly #wanted = new Map<string, Promise<PointScore>>();
  #waiting: Waiting[] = [];
  #underWay = 0;
  #isPlanned = false;

  constructor(scorer: PointScorer, limits: BatchLimits) {
    this.#scorer = scorer;
    this.#limits = limits;
  }

  /** Whether there are points without scores. */
  get isWaiting(): boolean {
    return this.#wanted.size > 0;
  }

  /** The raw outputs of all inputs, once each has been scored in some request. Rejects with the failure of the first that has none. */
  async score(inputs: readonly Float64Array[]): Promise<Float64Array[]> {
    const scores = await this.scoreEach(inputs);
    return scores.map((score) => {
      if (score instanceof Error) throw score;
      return score;
    });
  }

  /** The same with the failure of each input in its place. */
  scoreEach(inputs: readonly Float64Array[]): Promise<PointScore[]> {
    return Promise.all(inputs.map((input) => this.#want(input)));
  }

  #want(input: Float64Array): Promise<PointScore> {
    const key = keyOf(input);
    const known = this.#wanted.get(key);
    if (known) return known;
    const score = new Promise<PointScore>((resolve) => this.#waiting.push({ input, resolve }));
    this.#wanted.set(key, score);
    void score.then(() => this.#wanted.delete(key));
    this.#plan();
    return score;
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
      const scores = await this.#scorer.score(batch.map(({ input }) => input));
      if (scores.length !== batch.length)
        throw new Error(`the scorer gave ${scores.length} scores for ${batch.length} points`);
      for (const [k, { resolve }] of batch.entries()) resolve(scores[k]);
    } catch (error) {
      for (const { resolve } of batch) resolve(error as ElsewiseError);
    }
  }
}
