/** Predictions as a table: id, prediction, `score CLASS` for each class, reason. */
import { faultsInWords } from '../../documents/row-error.js';
import type { LoadedModel } from '../../models/load.js';
import type { Prediction } from '../threads/predict.js';
import { predictionCell, type Table } from './result-table.js';

export function createPredictionTable(model: Pick<LoadedModel, 'task' | 'classes'>): Table<Prediction> {
  const classes = model.task === 'regression' ? [] : model.classes;
  return {
    columns: [
      { name: 'id', type: 'text' },
      { name: 'prediction', type: predictionCell(model) },
      ...classes.map((label) => ({ name: `score ${label}`, type: 'number' }) as const),
      { name: 'reason', type: 'text' },
    ],
    lines: ({ id, prediction, scores, reason }) => [
      [
        id,
        prediction,
        ...classes.map((label) => scores[label] ?? null),
        reason ? faultsInWords(reason.faults ?? [reason]) : null,
      ],
    ],
  };
}
