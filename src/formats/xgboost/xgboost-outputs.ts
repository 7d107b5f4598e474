/** The numbers that an XGBoost model predicts for a row: one for each class, or one for each target, of which a document keeps one. */
import type { ImportChoices } from '../choices.js';
import { chosenOutput, refuseOutput } from '../outputs.js';
import { fileError, ROOT, type XgboostLearner } from './xgboost-file.js';
import { baseMargins, objectiveOf } from './xgboost-objectives.js';

export interface XgboostOutputs {
  readonly count: number;
  /** The target that is kept; null: all of them, they are classes. */
  readonly kept: number | null;
  /** The margin of the base score by output. */
  readonly base: readonly number[];
}

export function outputsOf(learner: XgboostLearner, choices: ImportChoices): XgboostOutputs {
  const { num_class, num_target } = learner.learner_model_param;
  const path = `${ROOT}.learner.learner_model_param`;
  if (objectiveOf(learner.objective.name).task !== 'multi') {
    const kept = chosenOutput(num_target, choices, 'targets', `${path}.num_target`);
    return { count: num_target, kept, base: baseMargins(learner, num_target, 'targets') };
  }
  refuseOutput(choices, path);
  if (num_class < 2)
    throw fileError(
      'learner.learner_model_param.num_class',
      `${num_class} classes for an objective of several classes`,
    );
  return { count: num_class, kept: null, base: baseMargins(learner, num_class, 'classes') };
}

export const keptBase = ({ kept, base }: XgboostOutputs): number | number[] => (kept === null ? [...base] : base[kept]);
