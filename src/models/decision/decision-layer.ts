/** The decision layer of a document around the model of its family. A family that cannot carry the layer is refused by name. */
import type { CalibrationDocument, DecisionDocument } from '../../documents/decision/decision-document.js';
import { ElsewiseError } from '../../documents/error.js';
import type { Model } from '../family.js';
import { type Calibration, calibrationOf } from './calibration.js';
import { type CutOff, DecidedModel } from './decided-model.js';

/** The threshold of a calibrated classifier, as in scikit-learn: the second class has the larger probability. */
const EVEN = 0.5;

const fault = (path: string, message: string) => new ElsewiseError('bad-document', message, `model.decision${path}`);

/** Without a calibration and a threshold the model decides and scores itself. */
export function withDecision(inner: Model, family: string, classes: number, decision?: DecisionDocument): Model {
  if (!decision) return inner;
  checkTask(decision, classes);
  checkIntervals(inner, family, classes);
  const { calibration, threshold } = decision;
  if (calibration) checkScores(calibration, inner, classes);
  if (!calibration && threshold === undefined) return inner;
  const curve = calibration ? calibrationOf(calibration, 'model.decision.calibration') : null;
  return new DecidedModel(inner, curve, classes ? cutOffOf(decision, curve, inner, family) : null);
}

function checkTask({ threshold, inclusive, calibration }: DecisionDocument, classes: number): void {
  if (classes > 2)
    throw fault('', `a decision layer is for two classes or a regressor, and this model has ${classes} classes`);
  if (classes === 0 && threshold !== undefined)
    throw fault('.threshold', 'a regressor has no classes: give "bands" instead');
  if (inclusive && threshold === undefined && !(calibration && classes))
    throw fault('.inclusive', 'goes with "threshold" or a calibrated classifier');
}

function checkIntervals(inner: Model, family: string, classes: number): void {
  try {
    inner.region({ kind: 'interval', index: classes ? 1 : 0, from: 0.25, to: 0.75 });
  } catch (error) {
    if (!(error instanceof ElsewiseError)) throw error;
    throw fault('', `${family} takes no decision layer: it has no exact region for an interval of scores`);
  }
}

/** The scores of two classes have a fixed sum where one number tells the decision. */
const totalOf = ({ thresholds }: Model): number | undefined => thresholds && Math.round(thresholds[0] + thresholds[1]);

function checkScores(calibration: CalibrationDocument, inner: Model, classes: number): void {
  const curves = calibration.type === 'mean' ? calibration.of : [calibration];
  for (const [k, curve] of curves.entries()) {
    const path = calibration.type === 'mean' ? `.calibration.of[${k}]` : '.calibration';
    if (curve.type === 'beta' && classes && totalOf(inner) === 0)
      throw fault(
        `${path}.type`,
        '"beta" takes probabilities, and this model has raw scores: use "sigmoid" or "isotonic"',
      );
    const wild = curve.type === 'isotonic' && classes ? curve.values.findIndex((value) => value < 0 || value > 1) : -1;
    if (wild >= 0)
      throw fault(`${path}.values[${wild}]`, 'a calibrated score of a classifier is a probability, from 0 to 1');
  }
}

function cutOffOf(
  { threshold = EVEN, inclusive: isInclusive }: DecisionDocument,
  curve: Calibration | null,
  inner: Model,
  family: string,
): CutOff {
  const total = curve ? 1 : totalOf(inner);
  if (total === undefined)
    throw fault(
      '.threshold',
      `the scores of the two classes of this ${family} have no fixed sum: give a "calibration" as well`,
    );
  if (total === 1 && (threshold < 0 || threshold > 1))
    throw fault('.threshold', `${threshold} is no probability: a threshold is from 0 to 1`);
  return { threshold, isInclusive, total };
}
