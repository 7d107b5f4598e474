/** `elsewise predict`: the model's output for each row, without any policy. */
import { ElsewiseError } from '../../documents/error.js';
import { faultsOf, type RowFault } from '../../documents/row-error.js';
import { type LoadedModel, Scorer } from '../../models/load.js';
import { readRecord } from '../../models/read-row.js';
import type { ParsedRow } from '../rows/row.js';

export interface Prediction {
  readonly id: string;
  /** Null: the row is invalid, and `reason` states why. */
  readonly prediction: string | number | null;
  /** Empty for a regressor. */
  readonly scores: Record<string, number>;
  readonly reason?: RowFault & { readonly faults?: readonly RowFault[] };
}

export type Predictor = (row: ParsedRow) => Prediction;

export function createPredictor(model: LoadedModel): Predictor {
  const scorer = new Scorer(model);
  const values = new Float64Array(model.space.features.length);
  return (row) => {
    if (row.faults) return refused(row.id, row.faults);
    try {
      readRecord(model, row.raw, values);
    } catch (error) {
      if (!(error instanceof ElsewiseError)) throw error;
      return refused(row.id, faultsOf(error));
    }
    scorer.runValues(values);
    return { id: row.id, ...describe(model, scorer, values) };
  };
}

function refused(id: string, faults: readonly RowFault[]): Prediction {
  const reason = faults.length > 1 ? { ...faults[0], faults } : faults[0];
  return { id, prediction: null, scores: {}, reason };
}

function describe(
  { task, classes }: LoadedModel,
  scorer: Scorer,
  values: Float64Array,
): Pick<Prediction, 'prediction' | 'scores'> {
  const scores = scorer.show();
  if (task === 'regression') return { prediction: scores[0], scores: {} };
  const byClass = Object.fromEntries(classes.map((label, k) => [label, scores[k]]));
  return { prediction: classes[scorer.decide(values)], scores: byClass };
}
