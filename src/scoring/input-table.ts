/** Model inputs as a table for a scorer: values by feature with categories by name, or plain numbers. */
import { ElsewiseError } from '../documents/error.js';
import type { RowValue } from '../documents/model-document.js';
import { type FeatureSpace, gather, layOutFeatures, showValue } from '../models/features.js';
import type { ScoredModel } from './point-scorer.js';

export interface InputTable {
  readonly columns: readonly string[];
  row(input: Float64Array): RowValue[];
}

export function createInputTable(model: ScoredModel, rows: 'features' | 'columns'): InputTable {
  const space = layOutFeatures(model.features);
  return rows === 'features' ? featureTable(model, space) : columnTable(model, space);
}

function featureTable({ inputs }: ScoredModel, space: FeatureSpace): InputTable {
  if (inputs !== space.columns) throw preprocessed();
  const values = new Float64Array(space.features.length);
  return {
    columns: space.features.map(({ name }) => name),
    row(input) {
      gather(space, input, values);
      return space.features.map((feature) => showValue(feature, values[feature.index]));
    },
  };
}

/** A one-hot column is named `feature=category`. Columns that preprocessing mixes only have a number. */
function columnTable({ inputs }: ScoredModel, space: FeatureSpace): InputTable {
  const named = space.features.flatMap(({ name, kind, categories }) =>
    kind === 'choice' ? categories.map((category) => `${name}=${category}`) : [name],
  );
  const columns = inputs === space.columns ? named : Array.from({ length: inputs }, (_, k) => `x${k}`);
  return { columns, row: (input) => Array.from(input) };
}

function preprocessed(): ElsewiseError {
  const message = 'a scorer behind preprocessing reads numbers: say "rows": "columns", or leave preprocessing out';
  return new ElsewiseError('bad-document', message, 'model.parameters.scorer.rows');
}
