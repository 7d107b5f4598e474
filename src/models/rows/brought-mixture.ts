/**
 * A mixture of Gaussians from a model document, over named numbers in their own units:
 *
 *   p(x) = Σ_k w_k N(x; μ_k, Σ_k),      read as a mixture of z = (x - m) / s
 *
 * m and s are the mean and the deviations of the whole mixture. They standardise the numbers, because numbers of very different sizes meet
 * in one matrix.
 */
import { ElsewiseError } from '../../documents/error.js';
import type { MixtureDocument } from '../../documents/model-document.js';
import { invertPositive } from '../../linalg/symmetric.js';
import { type Bounds, checkMatrixWork } from '../bounds.js';
import type { FeatureSpace } from '../features.js';
import { type GaussianComponent, gaussian } from './gaussian-mixture.js';

export interface BroughtMixture {
  /** The standardisation of the columns. */
  readonly scales: readonly { readonly column: number; readonly mean: number; readonly deviation: number }[];
  /** The components over the standardised columns. */
  readonly components: readonly GaussianComponent[];
}

/** The largest deviation of the sum of weights from 1 before they are scaled. */
const WEIGHT_SLACK = 1e-6;

export function readMixture(document: MixtureDocument, space: FeatureSpace, bounds: Bounds): BroughtMixture {
  const columns = document.features.map((name, i) => columnOf(name, i, document, space));
  checkMatrixWork(document.weights.length * columns.length ** 3, PATH, 'inverting its matrices', bounds);
  checkShapes(document);
  const weights = sharesOf(document.weights);
  const covariances = covariancesOf(document);
  const scales = columns.map((column, i) => ({ column, ...momentsOf(document.means, covariances, weights, i) }));
  const components = document.means.map((mean, k) => {
    const at = Float64Array.from(mean, (value, i) => (value - scales[i].mean) / scales[i].deviation);
    const standardised = covariances[k].map((row, i) =>
      row.map((value, j) => value / scales[i].deviation / scales[j].deviation),
    );
    return componentOf(at, standardised, weights[k], k, document);
  });
  return { scales, components };
}

const PATH = 'model.background.mixture';
const fail = (key: string, message: string) => new ElsewiseError('bad-document', message, `${PATH}.${key}`);

function columnOf(name: string, i: number, { features }: MixtureDocument, space: FeatureSpace): number {
  const feature = space.byName.get(name);
  if (!feature) throw fail(`features[${i}]`, 'no such feature');
  if (feature.kind !== 'continuous' && feature.kind !== 'integer')
    throw fail(`features[${i}]`, 'a density is one of numbers; this feature is none');
  if (features.indexOf(name) !== i) throw fail(`features[${i}]`, 'the feature is listed twice');
  return feature.column;
}

const matricesOf = ({ covariances, precisions }: MixtureDocument) => covariances ?? precisions!;
const matrixKey = ({ covariances }: MixtureDocument) => (covariances ? 'covariances' : 'precisions');

function checkShapes(document: MixtureDocument): void {
  const { features, weights, means } = document;
  const [count, size] = [weights.length, features.length];
  if (means.length !== count || means.some((mean) => mean.length !== size))
    throw fail('means', `expected ${count} means of ${size} numbers`);
  const matrices = matricesOf(document);
  const isSquare = (matrix: number[][]) => matrix.length === size && matrix.every((row) => row.length === size);
  if (matrices.length !== count || !matrices.every(isSquare))
    throw fail(matrixKey(document), `expected ${count} matrices of ${size} x ${size}`);
}

function sharesOf(weights: readonly number[]): number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  if (!(Math.abs(sum - 1) <= WEIGHT_SLACK)) throw fail('weights', `they add up to ${sum}, expected 1`);
  return weights.map((weight) => weight / sum);
}

function covariancesOf(document: MixtureDocument): readonly (readonly number[])[][] {
  if (document.covariances) return document.covariances;
  return document.precisions!.map((precision, k) => {
    const inverse = invertPositive(precision);
    if (!inverse) throw notPositive(document, k);
    return inverse.rows;
  });
}

function componentOf(
  at: Float64Array,
  covariance: readonly (readonly number[])[],
  weight: number,
  k: number,
  document: MixtureDocument,
): GaussianComponent {
  try {
    return gaussian(at, covariance, weight);
  } catch (error) {
    if (error instanceof RangeError) throw notPositive(document, k);
    throw error;
  }
}

const notPositive = (document: MixtureDocument, k: number) =>
  fail(`${matrixKey(document)}[${k}]`, 'is not symmetric and positive definite, or nearly singular');

/** Mean and deviation of a number under the whole mixture. */
function momentsOf(
  means: readonly (readonly number[])[],
  covariances: readonly (readonly (readonly number[])[])[],
  weights: readonly number[],
  i: number,
): { mean: number; deviation: number } {
  const mean = means.reduce((sum, own, k) => sum + weights[k] * own[i], 0);
  const variance = means.reduce((sum, own, k) => sum + weights[k] * (covariances[k][i][i] + (own[i] - mean) ** 2), 0);
  const deviation = Math.sqrt(variance);
  return { mean, deviation: deviation > 0 && Number.isFinite(deviation) ? deviation : 1 };
}
