/**
 * Strictly increasing functions of one column each: the preprocessing step `monotone`.
 *
 *   log1p         log(1 + x)                                                                     x > -1
 *   box-cox       (x^λ - 1) / λ,  log x for λ = 0                                                x > 0
 *   yeo-johnson   ((x + 1)^λ - 1) / λ  for x >= 0,  -((1 - x)^(2 - λ) - 1) / (2 - λ)  for x < 0   (logarithms for λ = 0 and λ = 2)
 *
 * Below its domain a function is -Infinity: it stays monotone, and every split of a tree has a last number that goes left.
 * Source: Yeo and Johnson 2000; the arithmetic is scikit-learn's.
 */
import type { PreprocessingStep } from '../../documents/model-document.js';
import { type CurveShape, IDENTITY_SHAPE, logShape, powerShape, twoSidedShape } from './curve-shapes.js';

export type MonotoneStep = Extract<PreprocessingStep, { type: 'monotone' }>;
type CurveName = NonNullable<MonotoneStep['functions'][number]>;

/** An increasing function as the model computes it, and its shape over the reals. */
export interface Curve extends CurveShape {
  value(x: number): number;
}

/** The power below which scikit-learn takes the logarithm. */
const NO_POWER = 2 ** -52;

export const IDENTITY: Curve = { value: (x) => x, ...IDENTITY_SHAPE };

const CURVES: Record<CurveName, (lambda: number) => Curve> = {
  log1p: () => ({ value: (x) => (x > -1 ? Math.log1p(x) : belowDomain(x)), ...logShape(1) }),
  'box-cox': (lambda) => ({
    value: (x) => (x > 0 ? boxCox(x, lambda) : belowDomain(x)),
    ...(isLogarithm(lambda) ? logShape(0) : powerShape(lambda)),
  }),
  'yeo-johnson': (lambda) => ({
    value: (x) => (x >= 0 ? shifted(x, lambda) : -shifted(-x, 2 - lambda)),
    ...twoSidedShape(isLogarithm(lambda) ? 0 : isLogarithm(2 - lambda) ? 2 : lambda),
  }),
};

const isLogarithm = (lambda: number): boolean => Math.abs(lambda) < NO_POWER;

/** A missing value stays missing. */
const belowDomain = (x: number): number => (Number.isNaN(x) ? x : Number.NEGATIVE_INFINITY);

const boxCox = (x: number, lambda: number): number => (isLogarithm(lambda) ? Math.log(x) : (x ** lambda - 1) / lambda);

const shifted = (x: number, lambda: number): number =>
  isLogarithm(lambda) ? Math.log1p(x) : ((x + 1) ** lambda - 1) / lambda;

/** The curves of a step, one for each column. */
export class Curves {
  private readonly curves: readonly Curve[];
  private readonly out: Float64Array;

  constructor({ functions, powers }: MonotoneStep) {
    this.curves = functions.map((name, i) => (name ? CURVES[name](powers[i]) : IDENTITY));
    this.out = new Float64Array(functions.length);
  }

  of(column: number): Curve {
    return this.curves[column];
  }

  /** Valid until the next call. */
  run(columns: Float64Array): Float64Array {
    for (let i = 0; i < this.out.length; i++) this.out[i] = this.curves[i].value(columns[i]);
    return this.out;
  }

  runColumn(column: number, value: number): number {
    return this.curves[column].value(value);
  }

  /** Whether no column is below the domain of its function. Missing values are in the domain. */
  isDefined(columns: Float64Array): boolean {
    for (let i = 0; i < this.curves.length; i++) if (columns[i] <= this.curves[i].above) return false;
    return true;
  }

  /** The chain rule: a slope by what comes behind the step becomes a slope by columns. */
  pullBack(columns: Float64Array, slope: Float64Array): void {
    for (let i = 0; i < this.out.length; i++) slope[i] *= this.curves[i].slope(columns[i]);
  }
}
