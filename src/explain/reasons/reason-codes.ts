/**
 * Reason codes: the features that cost a rejected person most against a reference, apart from the changes that would help.
 *
 *   φ_f    the contribution of feature f to the deciding sum (models/sums/contributions.ts)
 *   d      the direction in which the sum has to move
 *   codes  the features with the smallest  d φ_f < 0,  at most `count`, with  share = φ_f / Σ of all such φ
 *
 * References: `population` are rows of the background, `accepted` is the row of the background with the target that is nearest by the cost of
 * the policy, `best` is the best value of each feature.
 */
import type { PolicyDocument, ReasonsDocument } from '../../documents/policy-document.js';
import { type LoadedModel, Scorer } from '../../models/load.js';
import type { Goal } from '../../models/region.js';
import {
  type Contributions,
  type Direction,
  type RowContributions,
  refuseReasons,
} from '../../models/sums/row-contributions.js';
import type { Cost } from '../../policy/cost.js';
import { contributionsTo, type DecidedSum, decidedSum, refuseFamily } from './decided-sum.js';
import { type AcceptedRow, acceptedRows, nearestRow, sampleOf } from './reference-rows.js';

/** A reason before the question what the feature can do alone. */
export interface ReasonDraft {
  readonly feature: number;
  readonly contribution: number;
  readonly share: number;
}

interface ReasonPerson {
  readonly factual: Float64Array;
  readonly baseline: Float64Array;
}

interface Baseline {
  /** The row with imputed values in place of missing ones. */
  baselineOf(values: Float64Array, baseline: Float64Array): void;
}

/** Null: the policy asks for no reasons. */
export function reasonCodesOf(
  model: LoadedModel,
  cost: Cost,
  verifier: Baseline,
  { reasons, seed }: PolicyDocument,
): ReasonCodes | null {
  if (!reasons) return null;
  if (!model.model.scoreSum) throw refuseFamily(model);
  return new ReasonCodes(model, cost, verifier.baselineOf.bind(verifier), { reasons, seed });
}

/** Contributions below this share of the largest are rounding. */
const ROUNDING = 1e-12;

export class ReasonCodes {
  readonly #wanted: ReasonsDocument;
  readonly #seed: number;
  /** By goal and rival. */
  readonly #sums = new Map<string, Contributions>();
  /** By goal, rival and direction. */
  readonly #known = new Map<string, RowContributions>();
  readonly #accepted = new WeakMap<readonly Goal[], readonly AcceptedRow[]>();
  readonly #contributions: Float64Array;

  constructor(
    private readonly loaded: LoadedModel,
    private readonly cost: Cost,
    private readonly baselineOf: Baseline['baselineOf'],
    { reasons, seed }: Pick<PolicyDocument, 'seed'> & { readonly reasons: ReasonsDocument },
  ) {
    this.#wanted = reasons;
    this.#seed = seed;
    this.#contributions = new Float64Array(loaded.space.features.length);
  }

  /** Throws where goals have no reasons by this reference. */
  check(goals: readonly Goal[]): void {
    const { raw, scores } = new Scorer(this.loaded);
    for (const goal of goals) {
      const decided = decidedSum([goal], this.loaded, raw, scores);
      if (this.#wanted.reference === 'accepted') this.#contributionsTo(decided);
      else this.#against(decided);
    }
    if (this.#wanted.reference === 'accepted') this.#acceptedFor(goals);
  }

  /** `raw` and `scores`: the output of the model for the person. Undefined: the person has no nearest row. */
  draft(
    goals: readonly Goal[],
    { factual, baseline }: ReasonPerson,
    raw: Float64Array,
    scores: Float64Array,
  ): readonly ReasonDraft[] | undefined {
    const decided = decidedSum(goals, this.loaded, raw, scores);
    const fill =
      this.#wanted.reference === 'accepted' ? this.#againstNearest(goals, decided, baseline) : this.#against(decided);
    if (!fill) return undefined;
    fill(factual, this.#contributions);
    return this.#costliest(decided.direction);
  }

  #costliest(direction: Direction): ReasonDraft[] {
    const contributions = this.#contributions;
    const largest = contributions.reduce((most, own) => Math.max(most, Math.abs(own)), 0);
    const costly: number[] = [];
    let total = 0;
    for (let f = 0; f < contributions.length; f++) {
      if (!(direction * contributions[f] < -ROUNDING * largest)) continue;
      costly.push(f);
      total += contributions[f];
    }
    costly.sort((a, b) => direction * (contributions[a] - contributions[b]) || a - b);
    return costly
      .slice(0, this.#wanted.count)
      .map((feature) => ({ feature, contribution: contributions[feature], share: contributions[feature] / total }));
  }

  #against(decided: DecidedSum): RowContributions {
    const { direction } = decided;
    const key = `${sumKey(decided)} ${direction}`;
    const known = this.#known.get(key);
    if (known) return known;
    const contributions = this.#contributionsTo(decided);
    const isBest = this.#wanted.reference === 'best';
    const made = isBest
      ? contributions.againstBest(direction)
      : contributions.against(this.#population(contributions.hasMeans));
    this.#known.set(key, made);
    return made;
  }

  #contributionsTo(decided: DecidedSum): Contributions {
    const key = sumKey(decided);
    const known = this.#sums.get(key) ?? contributionsTo(this.loaded, decided);
    this.#sums.set(key, known);
    return known;
  }

  #population(takesAll: boolean): readonly Float64Array[] {
    const { samples } = this.loaded.background;
    if (!samples.length)
      throw refuseReasons(
        'the model has no rows of a background: add background.samples, or take "best"',
        '.reference',
      );
    return takesAll ? samples : sampleOf(samples, this.#wanted.rows, this.#seed);
  }

  #againstNearest(goals: readonly Goal[], decided: DecidedSum, person: Float64Array): RowContributions | undefined {
    const nearest = nearestRow(this.#acceptedFor(goals), person, this.cost, this.loaded);
    return nearest && this.#contributionsTo(decided).against([nearest.values]);
  }

  #acceptedFor(goals: readonly Goal[]): readonly AcceptedRow[] {
    const known = this.#accepted.get(goals) ?? acceptedRows(this.loaded, goals, this.baselineOf);
    this.#accepted.set(goals, known);
    return known;
  }
}

const sumKey = ({ goal, rival }: DecidedSum): string => `${goal.kind} ${goal.index} ${rival}`;
