/**
 * Points of many rows in common requests. A scorer behind a network costs its latency per request and little per point. Points that rows
 * need at the same moment travel together, in requests of a bounded size and a bounded number of requests at a time. An input that several
 * rows need at the same time is requested once.
 */
import type { ElsewiseError } from '../../documents/error.js';
import { PointTable } from '../../models/point-table.js';
import type { PointScore, PointScorer } from '../../scoring/point-scorer.js';

export interface BatchLimits {
  /** The number of points in one request. */
  readonly pointsPerRequest: number;
  readonly requestsAtOnce: number;
}

/** One question. All its scores are returned together. */
interface Question {
  readonly scores: PointScore[];
  left: number;
  resolve(scores: PointScore[]): void;
}

/** An input without a score, and the questions that need it, each with the index of the score. */
interface Wanted {
  readonly input: Float64Array;
  readonly askers: { readonly question: Question; readonly at: number }[];
}

export class ScoreBatches {
  readonly #scorer: PointScorer;
  readonly #limits: BatchLimits;
  readonly #wanted = new PointTable<Wanted>();
  #waiting: Wanted[] = [];
  #underWay = 0;
  #isPlanned = false;

  constructor(scorer: PointScorer, limits: BatchLimits) {
    this.#scorer = scorer;
    this.#limits = limits;
  }

  /** Whether some points have no scores yet. */
  get isWaiting(): boolean {
    return this.#wanted.size > 0;
  }

  /**
   * The raw outputs of all inputs, once each has been scored in some request. Rejects with the failure of the first input without a score.
   */
  async score(inputs: readonly Float64Array[]): Promise<Float64Array[]> {
    const scores = await this.scoreEach(inputs);
    return scores.map((score) => {
      if (score instanceof Error) throw score;
      return score;
    });
  }

  /** The same with the failure of each input in its place. */
  scoreEach(inputs: readonly Float64Array[]): Promise<PointScore[]> {
    return new Promise((resolve) => {
      const question = { scores: new Array<PointScore>(inputs.length), left: inputs.length, resolve };
      if (inputs.length === 0) resolve(question.scores);
      for (const [at, input] of inputs.entries()) this.#want(input, question, at);
    });
  }

  #want(input: Float64Array, question: Question, at: number): void {
    const known = this.#wanted.get(input);
    if (known) {
      known.askers.push({ question, at });
      return;
    }
    const wanted: Wanted = { input, askers: [{ question, at }] };
    this.#wanted.set(input, wanted);
    this.#waiting.push(wanted);
    this.#plan();
  }

  /** Waits until all rows that can continue now have added their points. */
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

  async #request(batch: readonly Wanted[]): Promise<void> {
    try {
      const scores = await this.#scorer.score(batch.map(({ input }) => input));
      if (scores.length !== batch.length)
        throw new Error(`the scorer gave ${scores.length} scores for ${batch.length} points`);
      for (const [k, wanted] of batch.entries()) this.#give(wanted, scores[k]);
    } catch (error) {
      for (const wanted of batch) this.#give(wanted, error as ElsewiseError);
    }
  }

  #give({ input, askers }: Wanted, score: PointScore): void {
    this.#wanted.delete(input);
    for (const { question, at } of askers) {
      question.scores[at] = score;
      if (--question.left === 0) question.resolve(question.scores);
    }
  }
}
