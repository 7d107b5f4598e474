/**
 * Calibrations: functions g of a score s that never fall, in the arithmetic of the libraries that fit them.
 *
 *   isotonic   through points (x_i, y_i):  y_i + (y_{i+1} - y_i) / (x_{i+1} - x_i) (s - x_i) on [x_i, x_{i+1}),  level outside
 *              steps:                      y_i on [x_i, x_{i+1})
 *   sigmoid    1 / (1 + e^{a s + b}),                               a <= 0
 *   beta       1 / (1 + e^{-(a log s - b log(1 - s) + c)}),         a, b >= 0, s kept within [2^-52, 1 - 2^-52]
 *   mean       Σ_k g_k(s) / n
 *
 * A straight line may exceed its right end by a rounding. There the end is taken, so that g never falls.
 */
import type { CalibrationDocument, CurveDocument } from '../../documents/decision/decision-document.js';
import { ElsewiseError } from '../../documents/error.js';

export type Calibration = (score: number) => number;

type CurveOf<T extends CurveDocument['type']> = Extract<CurveDocument, { type: T }>;

const CURVES: { [T in CurveDocument['type']]: (document: CurveOf<T>, path: string) => Calibration } = {
  isotonic: isotonicCurve,
  sigmoid: ({ slope, intercept }) => {
    return (score) => 1 / (1 + Math.exp(slope * score + intercept));
  },
  beta: ({ a, b, c }) => {
    return (score) => {
      const s = Math.min(1 - Number.EPSILON, Math.max(Number.EPSILON, score));
      return 1 / (1 + Math.exp(-(a * Math.log(s) - b * Math.log(1 - s) + c)));
    };
  },
};

const curveOf = (document: CurveDocument, path: string): Calibration =>
  (CURVES[document.type] as (document: CurveDocument, path: string) => Calibration)(document, path);

export function calibrationOf(document: CalibrationDocument, path: string): Calibration {
  if (document.type !== 'mean') return curveOf(document, path);
  const parts = document.of.map((one, k) => curveOf(one, `${path}.of[${k}]`));
  return (score) => {
    let sum = 0;
    for (const part of parts) sum += part(score);
    return sum / parts.length;
  };
}

function isotonicCurve({ scores, values, interpolation }: CurveOf<'isotonic'>, path: string): Calibration {
  checkPoints(scores, values, path);
  const [x, y] = [Float64Array.from(scores), Float64Array.from(values)];
  const last = x.length - 1;
  const between =
    interpolation === 'steps' ? (_: number, i: number) => y[i] : (s: number, i: number) => onLine(x, y, s, i);
  return (score) => {
    if (!(score > x[0])) return Number.isNaN(score) ? score : y[0];
    return score >= x[last] ? y[last] : between(score, pointBefore(x, score));
  };
}

function onLine(x: Float64Array, y: Float64Array, score: number, i: number): number {
  const slope = (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
  return Math.min(y[i + 1], slope * (score - x[i]) + y[i]);
}

/** The index of the last point at or below a score within the points. */
function pointBefore(x: Float64Array, score: number): number {
  let low = 0;
  let high = x.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (x[middle] <= score) low = middle;
    else high = middle;
  }
  return low;
}

function checkPoints(scores: readonly number[], values: readonly number[], path: string): void {
  const fail = (key: string, message: string) => new ElsewiseError('bad-document', message, `${path}.${key}`);
  if (!scores.length) throw fail('scores', 'at least one point is needed');
  if (values.length !== scores.length)
    throw fail('values', `expected ${scores.length} entries, one for each of "scores", got ${values.length}`);
  for (let i = 1; i < scores.length; i++) {
    if (!(scores[i] > scores[i - 1]))
      throw fail(
        `scores[${i}]`,
        `${scores[i]} is not above ${scores[i - 1]}: list the points in ascending order, each score once`,
      );
    if (values[i] < values[i - 1])
      throw fail(`values[${i}]`, `${values[i]} is below ${values[i - 1]}: an isotonic curve never falls`);
  }
}
