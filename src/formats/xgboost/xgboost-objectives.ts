/**
 * Objectives of XGBoost, and base scores. The file has the base score as a prediction: its inverse link makes it a margin.
 *
 *   base_score   "5E-1"; since 3.1 a list in a string, a number for each output: "[5E-1,2E-1]"
 */
import { findObjective, type Objective } from '../ensemble.js';
import { checkLength, fileError, ROOT, type XgboostLearner } from './xgboost-file.js';
import { hasRawProbability } from './xgboost-version.js';

const round = Math.fround;

/** Inverse links in the library's float32 arithmetic. */
const asIs = (score: number) => score;
const logit = (score: number) => round(-Math.log(round(round(1 / score) - 1)));
const log = (score: number) => round(Math.log(score));

interface XgboostObjective extends Objective {
  toMargin(score: number): number;
}

const IDENTITY: XgboostObjective = { task: 'regression', link: 'identity', toMargin: asIs };
const EXPONENTIAL: XgboostObjective = { task: 'regression', link: 'exp', toMargin: log };
const LOGISTIC: XgboostObjective = { task: 'binary', link: 'logit', toMargin: logit };
const SIGN: XgboostObjective = { task: 'binary', link: 'identity', toMargin: asIs };
const MULTI: XgboostObjective = { task: 'multi', link: 'softmax', toMargin: asIs };

const OBJECTIVES: Readonly<Record<string, XgboostObjective>> = {
  'binary:logistic': LOGISTIC,
  'binary:logitraw': SIGN,
  'binary:hinge': SIGN,
  'multi:softmax': MULTI,
  'multi:softprob': MULTI,
  'reg:logistic': LOGISTIC,
  'reg:squarederror': IDENTITY,
  'reg:linear': IDENTITY,
  'reg:squaredlogerror': IDENTITY,
  'reg:absoluteerror': IDENTITY,
  'reg:pseudohubererror': IDENTITY,
  'reg:quantileerror': IDENTITY,
  'reg:expectileerror': IDENTITY,
  'count:poisson': EXPONENTIAL,
  'reg:gamma': EXPONENTIAL,
  'reg:tweedie': EXPONENTIAL,
  'survival:cox': EXPONENTIAL,
  'survival:aft': EXPONENTIAL,
  'rank:pairwise': IDENTITY,
  'rank:ndcg': IDENTITY,
  'rank:map': IDENTITY,
};

export const objectiveOf = (name: string): XgboostObjective =>
  findObjective(OBJECTIVES, name, `${ROOT}.learner.objective.name`);

/** The margin of the base score by output. */
export function baseMargins(
  { learner_model_param: { base_score }, objective, version }: XgboostLearner,
  outputs: number,
  what: string,
): number[] {
  const key = 'learner.learner_model_param.base_score';
  const isProbability = objective.name === 'binary:logitraw' && hasRawProbability(version);
  const { toMargin } = isProbability ? LOGISTIC : objectiveOf(objective.name);
  const text = String(base_score).trim();
  const parts = text.replace(/^\[|\]$/g, '').split(',');
  const base = parts.map((part) => (part.trim() === '' ? Number.NaN : toMargin(round(Number(part)))));
  if (!base.every(Number.isFinite)) throw fileError(key, `"${text.slice(0, 60)}" gives no margin`);
  if (base.length === 1) return Array<number>(outputs).fill(base[0]);
  checkLength(base, outputs, key, what);
  return base;
}
