/**
 * THE TABLE of columns that may hold what another library said about a row:
 *
 *   prediction, predicted      the class by its name; for a regressor the number
 *   score, probability, ...    the score of the second of two classes; for a regressor the number
 *   score C, probability_C, C  the score of the class C
 *
 * A feature of the same name wins: its column is a value of the row.
 */
import { ElsewiseError } from '../../documents/error.js';
import type { LoadedModel } from '../../models/load.js';

export type PredictedPart = { readonly kind: 'prediction' } | { readonly kind: 'score'; readonly index: number };

export interface PredictedColumn {
  readonly name: string;
  readonly part: PredictedPart;
}

const PREDICTION_NAMES = ['prediction', 'predicted', 'predictedClass', 'predicted_class'];
const SCORE_NAMES = ['score', 'probability', 'proba', 'prob', 'score_1', 'probability_1', 'proba_1'];
const BEFORE_CLASS = ['score ', 'probability ', 'score_', 'probability_', 'proba_', 'prob_', 'p_', ''];

/** All columns that would be read, in the order in which they are preferred. */
export function predictedColumns({ task, classes, space }: LoadedModel): readonly PredictedColumn[] {
  const found = new Map<string, PredictedColumn>();
  const add = (name: string, part: PredictedPart) => {
    if (!space.byName.has(name) && !found.has(name) && name !== 'id' && name !== 'target')
      found.set(name, { name, part });
  };
  const isNumber = task === 'regression';
  for (const name of PREDICTION_NAMES) add(name, isNumber ? { kind: 'score', index: 0 } : { kind: 'prediction' });
  for (const before of BEFORE_CLASS)
    for (const [index, label] of classes.entries()) add(`${before}${label}`, { kind: 'score', index });
  if (isNumber || classes.length === 2)
    for (const name of SCORE_NAMES) add(name, { kind: 'score', index: isNumber ? 0 : 1 });
  return [...found.values()];
}

/** Two columns for the same part would be two answers. */
export function refuseRepeated(columns: readonly PredictedColumn[], file: string): void {
  const partOf = ({ part }: PredictedColumn) => (part.kind === 'score' ? part.index : -1);
  for (const [k, column] of columns.entries()) {
    const other = columns.slice(0, k).find((one) => partOf(one) === partOf(column));
    if (other)
      throw new ElsewiseError(
        'bad-input',
        `the columns "${other.name}" and "${column.name}" say the same: leave one out`,
        file,
      );
  }
}

/** The names to tell where a file has none of the columns. */
export const expectedColumns = ({ task, classes }: LoadedModel): string =>
  task === 'regression'
    ? 'prediction or score'
    : `prediction, ${classes.length === 2 ? 'score or probability (of the second class), ' : ''}or "score ${classes[classes.length - 1]}" for each class`;
