/**
 * XGBoost models, as JSON or UBJSON (the formats of `save_model` since 1.0) -> a model document.
 *
 *   gbtree, dart   a `tree-ensemble`           xgboost-forest.ts
 *   gblinear       a linear family             xgboost-linear.ts
 */
import type { ModelDocument } from '../../documents/model-document.js';
import type { ImportChoices } from '../choices.js';
import { readLearner } from './xgboost-file.js';
import { forestOf, importForest } from './xgboost-forest.js';
import { importLinear } from './xgboost-linear.js';
import { objectiveOf } from './xgboost-objectives.js';

export function importXgboost(bytes: Uint8Array, choices: ImportChoices = {}): ModelDocument {
  const learner = readLearner(bytes, objectiveOf);
  const { gradient_booster: booster } = learner;
  return booster.name === 'gblinear'
    ? importLinear(learner, booster.model.weights, choices)
    : importForest(learner, forestOf(booster), choices);
}
