/**
 * Probabilities of a model of several classes, as sums of exponentials of the rivals' leads:
 *
 *   Σ_j c_j exp(u_j(x)) <= bound   or   >= bound,       w_j = u_j + log c_j - log bound,      log Σ_j exp w_j <= 0   or   >= 0
 *
 *   exp-sum          u_j linear in x                                    (softmax, LDA)
 *   exp-quadratics   u_j = ½ (d_t(x) - d_j(x)) + o_j, a difference of two distances        (naive Bayes, QDA)
 *
 * Both kinds have the same interface for solvers: the exponents w at a point, and conditions  Σ_j a_j w_j <= level.  A condition is a
 * linear row or one quadratic: a weighted sum of distances is a distance (distance-mixture.ts).
 */
import { dot } from '../linalg/vector.js';
import { type Centre, DistanceDifference } from './distance-difference.js';
import { mixDistances, type WeightedCentre } from './distance-mixture.js';
import { nearerPiece } from './prototype-pieces.js';
import {
  type Atom,
  type ExpQuadratics,
  type ExpSum,
  halfValues,
  type LinearRow,
  type Piece,
  polyhedron,
  pullBack,
} from './region.js';

/**
 * The direction in which rounding is counted: an `eased` condition holds wherever the exact condition holds, a `tightened` condition
 * implies it.
 */
export type RoundingSide = 'eased' | 'tightened';

export interface Exponents {
  readonly count: number;
  /** The sum is at least the bound, instead of at most. */
  readonly atLeast: boolean;
  /** w at x. */
  at(x: Float64Array): Float64Array;
  /** Σ_j a_j w_j <= level, for points of about the magnitude of `around`. */
  condition(a: Float64Array, level: number, side: RoundingSide, around: Float64Array): Piece;
}

/** The largest rounding error of a sum of exponents, as a share of its terms. */
const ROUNDING = 2 ** -46;

/** The sums of exponentials among atoms. */
export const exponentsOf = (atoms: readonly Atom[]): Exponents[] =>
  atoms.flatMap((atom): Exponents[] => {
    if (atom.kind === 'exp-sum') return [new LinearExponents(atom)];
    return atom.kind === 'exp-quadratics' ? [new QuadraticExponents(atom)] : [];
  });

/** The effect of a probability's rounding on the logarithm of the sum: d log(sum) = dp / (p (1 - p)). */
const probabilityDoubt = (count: number, logBound: number): number =>
  2 ** -52 * (count + 4) * (1 + Math.exp(-logBound)) + (logBound > DENORMAL ? 1 + Math.log(count + 1) : 0);

/** Above this logarithm of a bound a probability is denormal and has lost digits. */
const DENORMAL = 700;
/** The range of log bounds that a probability in doubles can distinguish. */
const LEAST_LOG_BOUND = -54 * Math.LN2;
const LARGEST_LOG_BOUND = 745.2;

/** The logarithm of the bound of a sum that has to be small. All smaller sums give the same computed probability. */
export const leastLogBound = (logBound: number): number => Math.max(LEAST_LOG_BOUND, logBound);

/** log((1 - p)/p) for a probability of p, within the range that doubles can distinguish. */
export const logOddsAgainst = (p: number): number =>
  Math.min(LARGEST_LOG_BOUND, leastLogBound(Math.log1p(-p) - Math.log(p)));

class LinearExponents implements Exponents {
  readonly count: number;
  readonly atLeast: boolean;
  private readonly shifts: Float64Array;
  private readonly sizes: Float64Array;
  private readonly doubt: number;

  constructor(private readonly sum: ExpSum) {
    const { weights, shifts, bound, exponents } = sum;
    const logBound = Math.log(bound);
    this.count = exponents.length;
    this.atLeast = sum.atLeast === true;
    this.shifts = shifts.map((v, j) => v + Math.log(weights[j]) - logBound);
    this.sizes = shifts.map((v, j) => 1 + Math.abs(v) + Math.abs(Math.log(weights[j])) + Math.abs(logBound));
    this.doubt = probabilityDoubt(this.count, logBound);
  }

  at(x: Float64Array): Float64Array {
    return this.shifts.map((shift, j) => dot(this.sum.exponents[j], x) + shift);
  }

  condition(a: Float64Array, level: number, side: RoundingSide, around: Float64Array): Piece {
    const slope = new Float64Array(around.length);
    let [shift, size] = [0, Math.abs(level) + 1];
    for (const [j, u] of this.sum.exponents.entries()) {
      if (a[j] === 0) continue;
      for (let i = 0; i < slope.length; i++) {
        slope[i] += a[j] * u[i];
        size += Math.abs(a[j] * u[i] * around[i]);
      }
      shift += a[j] * this.shifts[j];
      size += Math.abs(a[j]) * this.sizes[j];
    }
    const doubt = ROUNDING * size + this.doubt;
    const row: LinearRow = { a: slope, lower: -Infinity, upper: level - shift + (side === 'eased' ? doubt : -doubt) };
    return polyhedron([row]);
  }
}

/** u_j = ½ (d_t - d_j) + o_j, offsets o_j + log c_j - log bound. */
class QuadraticExponents implements Exponents {
  readonly count: number;
  readonly atLeast: boolean;
  private readonly centres: readonly Centre[];
  private readonly offsets: Float64Array;
  private readonly size: number;
  private readonly doubt: number;

  constructor(private readonly sum: ExpQuadratics) {
    const { forms } = sum;
    this.count = forms.length;
    this.atLeast = sum.atLeast === true;
    this.centres = [forms[0].near, ...forms.map(({ far }) => far)];
    this.offsets = Float64Array.from(forms, ({ constant }) => 0.5 * constant);
    this.size = 1 + Math.max(...forms.map(({ size }) => 0.5 * size));
    this.doubt = sumDoubt(sum);
  }

  at(x: Float64Array): Float64Array {
    return halfValues(this.sum.forms, x);
  }

  /** Σ a_j w_j = ½ ((Σ a) d_t - Σ a_j d_j) + Σ a_j o_j. Distances with a positive weight are near, the others are far. */
  condition(a: Float64Array, level: number, side: RoundingSide): Piece {
    const weights = [a.reduce((sum, value) => sum + value, 0), ...a.map((value) => -value)];
    const total = weights.reduce((sum, weight) => sum + Math.max(0, weight), 0);
    if (total === 0) return polyhedron([]);
    const near = mixDistances(this.partsOf(weights, total));
    const far = mixDistances(this.partsOf(weights, -total));
    const offset = dot(a, this.offsets) - level;
    const most = a.reduce((sum, value) => sum + Math.abs(value), 0);
    const doubt = (2 * most * this.doubt + 2 * ROUNDING * Math.abs(level)) / total + near.doubt + far.doubt;
    const constant = (2 * offset) / total + near.constant - far.constant + (side === 'eased' ? -doubt : doubt);
    const size = (2 * (most * this.size + Math.abs(level))) / total + near.constant + far.constant;
    const piece = nearerPiece([new DistanceDifference(near.centre, far.centre, constant, null, size)]);
    const { map } = this.sum.forms[0];
    return map ? pullBack(map, piece) : piece;
  }

  /** The centres whose weights have the sign of the total, as shares of the total. */
  private partsOf(weights: readonly number[], total: number): WeightedCentre[] {
    return this.centres.map((centre, k) => ({ centre, weight: weights[k] / total })).filter(({ weight }) => weight > 0);
  }
}

/** The doubt about the logarithm of the sum, apart from that of the distances. */
export const sumDoubt = ({ forms, logBound }: ExpQuadratics): number =>
  ROUNDING * (1 + Math.max(...forms.map(({ size }) => 0.5 * size))) + probabilityDoubt(forms.length, logBound);
