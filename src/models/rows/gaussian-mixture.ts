/**
 * A mixture of Gaussians, fitted by expectation and maximisation (Dempster, Laird and Rubin 1977):
 *
 *   p(z) = Σ_k w_k N(z; μ_k, Σ_k)
 *   E   r_ik = w_k N(z_i; μ_k, Σ_k) / p(z_i)
 *   M   w_k = Σ_i r_ik / n,   μ_k = Σ_i r_ik z_i / Σ_i r_ik,   Σ_k = Σ_i r_ik (z_i - μ_k)(z_i - μ_k)ᵀ / Σ_i r_ik + ridge I
 *
 * The first centres are drawn by k-means++ from a fixed seed: the same rows give the same mixture. The caller standardises the rows.
 */
import { seededRandom } from '../../linalg/random.js';
import { invertPositive } from '../../linalg/symmetric.js';
import { fullMatrix, quadraticForm, type SymmetricMatrix } from '../../linalg/symmetric-matrix.js';
import { logSumExp } from '../../linalg/vector.js';

export interface GaussianComponent {
  readonly at: Float64Array;
  /** Σ⁻¹ */
  readonly precision: SymmetricMatrix;
  /** log w - ½ log|2π Σ| */
  readonly logWeight: number;
}

export const MOST_ROUNDS = 50;
/** The mixture is fitted when a round raises the mean log-likelihood of a row by less than this. */
const SETTLED = 1e-5;
/** Added to variances of standardised rows, so that a component never shrinks to a point. */
const RIDGE = 1e-3;
/** A component of fewer rows than this is dropped. */
const FEWEST_ROWS = 1;
const SEED = 1;

export function fitMixture(rows: readonly Float64Array[], count: number): GaussianComponent[] {
  let shares = firstShares(rows, count);
  let before = Number.NEGATIVE_INFINITY;
  let components: GaussianComponent[] = [];
  for (let round = 0; round < MOST_ROUNDS; round++) {
    components = shares.flatMap((share) => componentOf(rows, share));
    const next = sharesOf(rows, components);
    if (next.likelihood - before < SETTLED) break;
    [shares, before] = [next.shares, next.likelihood];
  }
  return components;
}

/** By component: log(w_k N(z; μ_k, Σ_k)). */
export const logTerms = (components: readonly GaussianComponent[], z: Float64Array): Float64Array =>
  Float64Array.from(components, ({ at, precision, logWeight }) => logWeight - 0.5 * quadraticForm(precision, z, at));

/** By component and row: 1 for the nearest of the first centres. */
function firstShares(rows: readonly Float64Array[], count: number): Float64Array[] {
  const centres = firstCentres(rows, count);
  const shares = centres.map(() => new Float64Array(rows.length));
  for (const [i, row] of rows.entries()) {
    const away = centres.map((centre) => squaredDistance(row, centre));
    shares[away.indexOf(Math.min(...away))][i] = 1;
  }
  return shares;
}

/** Rows, each drawn with a probability in proportion to its squared distance from the centres before. */
function firstCentres(rows: readonly Float64Array[], count: number): Float64Array[] {
  const random = seededRandom(SEED);
  const centres = [rows[Math.floor(random() * rows.length)]];
  const away = Float64Array.from(rows, (row) => squaredDistance(row, centres[0]));
  while (centres.length < count) {
    const drawn = drawFrom(away, random());
    if (drawn < 0) break;
    centres.push(rows[drawn]);
    for (const [i, row] of rows.entries()) away[i] = Math.min(away[i], squaredDistance(row, rows[drawn]));
  }
  return centres;
}

/** The index of a weight, drawn with a probability in proportion to the weight; -1 where all are 0. */
function drawFrom(weights: Float64Array, chance: number): number {
  let left = chance * weights.reduce((sum, value) => sum + value, 0);
  return weights.findIndex((value) => {
    left -= value;
    return value > 0 && left <= 0;
  });
}

function squaredDistance(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] - b[i]) ** 2;
  return sum;
}

/** E: shares of the rows, and the mean logarithm of the density. */
function sharesOf(rows: readonly Float64Array[], components: readonly GaussianComponent[]) {
  const shares = components.map(() => new Float64Array(rows.length));
  let sum = 0;
  for (const [i, row] of rows.entries()) {
    const terms = logTerms(components, row);
    const total = logSumExp(terms);
    for (let k = 0; k < terms.length; k++) shares[k][i] = Math.exp(terms[k] - total);
    sum += total;
  }
  return { shares, likelihood: sum / rows.length };
}

/** M: the component of some shares of the rows. Empty if hardly any row is left. */
function componentOf(rows: readonly Float64Array[], share: Float64Array): GaussianComponent[] {
  const total = share.reduce((sum, value) => sum + value, 0);
  if (!(total >= FEWEST_ROWS)) return [];
  const at = new Float64Array(rows[0].length);
  for (const [i, row] of rows.entries()) for (let j = 0; j < at.length; j++) at[j] += (share[i] / total) * row[j];
  const covariance = covarianceOf(rows, share, total, at);
  return [gaussian(at, covariance, total / rows.length)];
}

function covarianceOf(rows: readonly Float64Array[], share: Float64Array, total: number, at: Float64Array): number[][] {
  const sums = Array.from(at, () => new Float64Array(at.length));
  for (const [i, row] of rows.entries()) {
    if (share[i] === 0) continue;
    for (let p = 0; p < at.length; p++) {
      const weighted = (share[i] / total) * (row[p] - at[p]);
      for (let q = 0; q <= p; q++) sums[p][q] += weighted * (row[q] - at[q]);
    }
  }
  return sums.map((_, p) => Array.from(at, (__, q) => (p >= q ? sums[p][q] : sums[q][p]) + (p === q ? RIDGE : 0)));
}

/** Throws if the covariance is not positive definite in doubles. */
export function gaussian(
  at: Float64Array,
  covariance: readonly (readonly number[])[],
  weight: number,
): GaussianComponent {
  const inverse = invertPositive(covariance);
  if (!inverse) throw new RangeError('the covariance of a component is singular');
  const logWeight = Math.log(weight) - 0.5 * (inverse.logDeterminant + at.length * Math.log(2 * Math.PI));
  return { at, precision: fullMatrix(inverse.rows), logWeight };
}
