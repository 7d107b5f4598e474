/**
 * The booster gblinear -> a linear family.
 *
 *   margin of output g = base_0 + bias_g + Σ over features f that are not missing of x_f weights[f G + g],   bias_g = weights[F G + g],
 *                        G outputs, F features
 *
 * The library adds the first number of the base score to every output. A missing value adds nothing: it is imputed as 0. The library computes in float32, the document in float64: the last digits of a margin
 * may differ.
 */
import type { ModelDocument } from '../../documents/model-document.js';
import type { ImportChoices } from '../choices.js';
import { classNames, type Objective, unsupported } from '../ensemble.js';
import { featuresOf } from './xgboost-features.js';
import { checkLength, ROOT, type XgboostLearner } from './xgboost-file.js';
import { objectiveOf } from './xgboost-objectives.js';
import { outputsOf } from './xgboost-outputs.js';

/** By link of an objective with one output: the family that has the same scores. */
const FAMILIES: Readonly<Record<string, string>> = {
  'binary logit': 'logistic-regression',
  'binary identity': 'hyperplane',
  'regression identity': 'linear-regression',
  'regression exp': 'poisson-regression',
};

export function importLinear(
  learner: XgboostLearner,
  weights: readonly number[],
  choices: ImportChoices,
): ModelDocument {
  const { num_feature } = learner.learner_model_param;
  const objective = objectiveOf(learner.objective.name);
  const { count, kept, base } = outputsOf(learner, choices);
  checkLength(weights, (num_feature + 1) * count, 'learner.gradient_booster.model.weights', 'numbers of the model');
  const column = (g: number) => Array.from({ length: num_feature }, (_, f) => weights[f * count + g]);
  const bias = (g: number) => weights[num_feature * count + g] + base[0];
  const classes = Array.from({ length: count }, (_, g) => g);
  return {
    schema: 'elsewise.model/v1',
    name: ROOT,
    family: kept === null ? 'softmax-regression' : familyOf(objective),
    features: featuresOf(learner, [], []),
    ...classNames(objective, count),
    preprocessing: [{ type: 'impute', values: Array<number>(num_feature).fill(0) }],
    parameters:
      kept === null
        ? { weights: classes.map(column), bias: classes.map(bias) }
        : { weights: column(kept), bias: bias(kept) },
  };
}

function familyOf({ task, link }: Objective): string {
  const family = FAMILIES[`${task} ${link}`];
  if (family) return family;
  throw unsupported(`gblinear with the link ${link}`, `${ROOT}.learner.gradient_booster.name`);
}
