/**
 * Losses of CatBoost by the decision that `predict` makes of the sum. The numbers of a leaf are
 *
 *   one        for a loss with one sum
 *   classes    one for each class: their sums decide together
 *   outputs    one for each target, label or quantile: a document keeps one of them
 */
import { findObjective, type Objective, unsupported } from '../ensemble.js';
import { ROOT } from './catboost-model.js';

export interface CatboostLoss extends Objective {
  readonly leaves: 'one' | 'classes' | 'outputs';
}

const NUMBER: CatboostLoss = { task: 'regression', link: 'identity', leaves: 'one' };
const EXPONENT: CatboostLoss = { task: 'regression', link: 'exp', leaves: 'one' };
const PROBABILITY: CatboostLoss = { task: 'binary', link: 'logit', leaves: 'one' };

const LOSSES: Readonly<Record<string, CatboostLoss>> = {
  Logloss: PROBABILITY,
  CrossEntropy: PROBABILITY,
  Focal: PROBABILITY,
  MultiClass: { task: 'multi', link: 'softmax', leaves: 'classes' },
  MultiClassOneVsAll: { task: 'multi', link: 'logit', leaves: 'classes' },
  MultiLogloss: { ...PROBABILITY, leaves: 'outputs' },
  MultiCrossEntropy: { ...PROBABILITY, leaves: 'outputs' },
  MultiRMSE: { ...NUMBER, leaves: 'outputs' },
  MultiRMSEWithMissingValues: { ...NUMBER, leaves: 'outputs' },
  MultiQuantile: { ...NUMBER, leaves: 'outputs' },
  RMSE: NUMBER,
  MAE: NUMBER,
  Quantile: NUMBER,
  Expectile: NUMBER,
  Huber: NUMBER,
  Lq: NUMBER,
  MAPE: NUMBER,
  LogCosh: NUMBER,
  LogLinQuantile: EXPONENT,
  Poisson: EXPONENT,
  Tweedie: EXPONENT,
  Cox: NUMBER,
  SurvivalAft: NUMBER,
  QueryRMSE: NUMBER,
  QuerySoftMax: NUMBER,
  QueryCrossEntropy: NUMBER,
  PairLogit: NUMBER,
  PairLogitPairwise: NUMBER,
  YetiRank: NUMBER,
  YetiRankPairwise: NUMBER,
  StochasticRank: NUMBER,
  LambdaMart: NUMBER,
};

export function lossOf(name: string | undefined): CatboostLoss {
  const path = `${ROOT}.model_info.params.loss_function`;
  if (name === undefined) throw unsupported('a model whose file names no loss_function', path);
  return findObjective(LOSSES, name, path);
}
