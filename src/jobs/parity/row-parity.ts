/**
 * One row of a model beside what another library said about the row.
 *
 *   score      both scores differ by |own - given|, and agree within  tolerance x max(1, |given|)
 *   decision   the given class, or the class that the given scores decide: above the threshold for two classes, the largest for several
 *
 * A regressor decides nothing: its prediction is a score.
 */
import { ElsewiseError } from '../../documents/error.js';
import { didYouMean, listNames } from '../../documents/nearest-name.js';
import { argmax } from '../../linalg/vector.js';
import { modelOf } from '../../models/decision/segments.js';
import type { Thresholds } from '../../models/family.js';
import { isMissing } from '../../models/features.js';
import { type LoadedModel, Scorer } from '../../models/load.js';
import { readRecord } from '../../models/read-row.js';
import type { PredictedRow } from './predicted-rows.js';
import type { PredictedColumn } from './prediction-columns.js';

export interface RowParity {
  readonly id: string;
  readonly values: Float64Array;
  /** By class, or the prediction of a regressor. */
  readonly own: readonly number[];
  readonly given: readonly (number | null)[];
  /** Names of classes. Null: nothing is decided. */
  readonly decided: string | null;
  readonly givenDecision: string | null;
  /** The largest difference of a score. Null: no score is given. */
  readonly difference: number | null;
  readonly isWithin: boolean;
  readonly decidesAlike: boolean;
}

export class ParityCheck {
  readonly #scorer: Scorer;
  readonly #values: Float64Array;

  constructor(
    private readonly model: LoadedModel,
    private readonly columns: readonly PredictedColumn[],
    private readonly tolerance: number,
  ) {
    this.#scorer = new Scorer(model);
    this.#values = new Float64Array(model.space.features.length);
  }

  /** Throws an `ElsewiseError` for a row that the model cannot read. A given score that is no number differs from every score. */
  compare({ id, raw, predicted }: PredictedRow): RowParity {
    const { model } = this;
    readRecord(model, raw, this.#values);
    this.#scorer.runValues(this.#values);
    const own = [...this.#scorer.show()];
    const given = this.#givenScores(predicted);
    const decided = model.classes.length ? model.classes[this.#scorer.decide(this.#values)] : null;
    const givenDecision = this.#givenDecision(predicted, given);
    const differences = given.flatMap((score, k) => (score === null ? [] : [distance(own[k], score)]));
    return {
      id,
      values: this.#values.slice(),
      own,
      given,
      decided,
      givenDecision,
      difference: differences.length ? Math.max(...differences) : null,
      isWithin: given.every((score, k) => score === null || this.#isNear(own[k], score)),
      decidesAlike: decided === null || givenDecision === null || decided === givenDecision,
    };
  }

  #givenScores(predicted: PredictedRow['predicted']): (number | null)[] {
    const given: (number | null)[] = Array(Math.max(1, this.model.classes.length)).fill(null);
    for (const [k, { part }] of this.columns.entries())
      if (part.kind === 'score' && !isMissing(predicted[k])) given[part.index] = Number(predicted[k]);
    return given;
  }

  #givenDecision(predicted: PredictedRow['predicted'], given: readonly (number | null)[]): string | null {
    const { classes } = this.model;
    const thresholds = this.#thresholds();
    const named = this.columns.findIndex(({ part }, k) => part.kind === 'prediction' && !isMissing(predicted[k]));
    if (named >= 0) return this.#classNamed(String(predicted[named]).trim());
    if (!classes.length || given.every((score) => score === null)) return null;
    if (thresholds) return classes[+this.#isSecond(given, thresholds)];
    return given.includes(null) ? null : classes[argmax(Float64Array.from(given as number[]))];
  }

  /** Those of the row that is compared. */
  #thresholds(): Thresholds | undefined {
    const { model, segments } = this.model;
    return (segments ? modelOf(segments, this.#values[segments.feature.index])! : model).thresholds;
  }

  /** A table may have numbered classes as 1.0. */
  #classNamed(text: string): string {
    const { classes } = this.model;
    const own = classes.find((label) => label === text) ?? classes.find((label) => Number(label) === Number(text));
    if (own !== undefined) return own;
    const hint = didYouMean(text, classes) || `, known are ${listNames(classes)}`;
    throw new ElsewiseError('bad-row', `unknown class "${text}"${hint}`, 'prediction');
  }

  #isSecond([first, second]: readonly (number | null)[], thresholds: Thresholds): boolean {
    return second === null ? first! < thresholds[0] : second > thresholds[1];
  }

  #isNear(own: number, given: number): boolean {
    return distance(own, given) <= this.tolerance * Math.max(1, Math.abs(given));
  }
}

/** Two missing numbers, and two equal infinities, do not differ. */
const distance = (own: number, given: number): number => {
  if (Object.is(own, given)) return 0;
  const delta = Math.abs(own - given);
  return Number.isNaN(delta) ? Infinity : delta;
};
