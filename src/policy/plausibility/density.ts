/**
 * Plausibility by the density of the background, over standardised numbers z (standardised-numbers.ts):
 *
 *   mixture      log Σ_k w_k N(z; μ_k, Σ_k)                     brought by the model, or fitted once (gaussian-mixture.ts)
 *   neighbours   -(distance from z to its k-th nearest row)
 *
 * The mixture's limit as an atom:  Σ_k exp(½ q_k(x)) >= 1,  q_k(x) = 2 (log weight_k - need) - (z - μ_k)ᵀ Σ_k⁻¹ (z - μ_k).  One component is an
 * ellipsoid, a convex quadratic. The penalty of the mixture is the difference between the log density at the densest centre μ_k and the log density at x,
 * and at least 0. The penalty of the neighbours is the distance.
 */
import type { PlausibilityDocument } from '../../documents/policy-document.js';
import { invertPositive } from '../../linalg/symmetric.js';
import { addQuadraticGradient, type SymmetricMatrix } from '../../linalg/symmetric-matrix.js';
import { logSumExp } from '../../linalg/vector.js';
import { checkMatrixWork } from '../../models/bounds.js';
import { DistanceDifference } from '../../models/distance-difference.js';
import type { LoadedModel } from '../../models/load.js';
import { type Atom, contains } from '../../models/region.js';
import { fitMixture, type GaussianComponent, logTerms, MOST_ROUNDS } from '../../models/rows/gaussian-mixture.js';
import { backgroundColumns, backgroundWhereAsked, plausibilityError } from './background-columns.js';
import { plausibilityBy } from './limit-and-term.js';
import { forEveryTarget, type Measure, type Plausibility, type TargetPlausibility } from './plausibility-measure.js';
import { distanceTo, StandardisedNumbers, squaredDistanceTo, standardise } from './standardised-numbers.js';

const DEFAULT_COMPONENTS = 3;
/** The rounding error, relative to the terms of the log density. The difference of two terms can be far smaller than the terms. */
const ROUNDING = 1e-12;

export function compileDensity(document: PlausibilityDocument, loaded: LoadedModel): TargetPlausibility {
  if (document.k !== undefined) return forEveryTarget(nearRows(document, document.k, loaded));
  return forEveryTarget(loaded.background.mixture ? broughtMixture(document, loaded) : fittedMixture(document, loaded));
}

function broughtMixture(document: PlausibilityDocument, loaded: LoadedModel): Plausibility {
  const { scales, components } = loaded.background.mixture!;
  if (document.components !== undefined)
    throw plausibilityError('.components', 'the model brings background.mixture: leave "components" out');
  const mixture = new Mixture(new StandardisedNumbers(loaded, scales), components);
  return mixture.plausibility(document, backgroundWhereAsked(loaded, document.atLeast));
}

function fittedMixture(document: PlausibilityDocument, loaded: LoadedModel): Plausibility {
  const { components: count = DEFAULT_COMPONENTS } = document;
  const columns = backgroundColumns(loaded);
  const numbers = standardise(loaded, columns);
  const work = MOST_ROUNDS * columns.length * count * numbers.size ** 2;
  checkMatrixWork(work, 'policy.plausibility.components', 'the mixture of the background', loaded.bounds);
  const rows = columns.map((row) => numbers.of(row).slice());
  return new Mixture(numbers, fitMixture(rows, count)).plausibility(document, columns);
}

class Mixture implements Measure {
  readonly flops: number;
  private readonly own: Float64Array;
  /** The logarithm of the density at the densest centre. */
  private readonly peak: number;
  /** Indexed by component and by number. */
  private readonly variances: readonly Float64Array[];

  constructor(
    private readonly numbers: StandardisedNumbers,
    private readonly components: readonly GaussianComponent[],
  ) {
    this.own = new Float64Array(numbers.size);
    this.peak = Math.max(...components.map(({ at }) => logSumExp(logTerms(components, at))));
    this.variances = components.map(({ precision }) => variancesOf(precision));
    this.flops = 2 * components.length * numbers.size ** 2;
  }

  plausibility(document: PlausibilityDocument, rows: readonly Float64Array[] | null): Plausibility {
    const values = rows?.map((row) => this.value(row)) ?? null;
    return plausibilityBy(this, document, values, (need) => {
      const atom = atomOf(this.components, need, this.numbers);
      const piece = { rows: [], atoms: [atom] };
      // The same arithmetic as in the atom.
      return { atom, holds: (columns) => contains(piece, this.numbers.filled(columns)) };
    });
  }

  value(columns: Float64Array): number {
    return logSumExp(logTerms(this.components, this.numbers.of(columns)));
  }

  readonly slope = (columns: Float64Array, out: Float64Array): void => {
    const z = this.numbers.of(columns);
    const terms = logTerms(this.components, z);
    const total = logSumExp(terms);
    this.own.fill(0);
    for (const [k, { at, precision }] of this.components.entries())
      addQuadraticGradient(precision, z, at, -0.5 * Math.exp(terms[k] - total), this.own);
    this.numbers.pullBack(this.own, out);
  };

  /** An upper bound over a box: each component is bounded by the number whose marginal distance alone is largest. Rounded up. */
  readonly mostWithin = (lower: Float64Array, upper: Float64Array): number => {
    const box = this.numbers.boxOf(lower, upper);
    const terms = this.components.map(({ at, logWeight }, k) => {
      const forms = this.variances[k].map((variance, i) => distanceTo(box, at, i) ** 2 / variance);
      const least = 0.5 * Math.max(...forms);
      return logWeight + ROUNDING * (1 + Math.abs(logWeight)) - (1 - ROUNDING) * least;
    });
    return logSumExp(Float64Array.from(terms));
  };

  penaltyOf(value: number): number {
    return Math.max(0, this.peak - value);
  }

  penaltySlope(value: number): number {
    return value < this.peak ? -1 : 0;
  }
}

/** The diagonal of the inverse. Infinite entries, which give no bound, if the matrix is not invertible in doubles. */
function variancesOf(precision: SymmetricMatrix): Float64Array {
  const { size } = precision;
  const rows = Array.from({ length: size }, (_, i) => [...precision.entries.subarray(i * size, (i + 1) * size)]);
  const inverse = precision.kind === 'full' ? invertPositive(rows) : undefined;
  return Float64Array.from(rows, (_, i) => inverse?.rows[i][i] ?? Infinity);
}

function atomOf(components: readonly GaussianComponent[], need: number, { map, size }: StandardisedNumbers): Atom {
  const nowhere = {
    at: new Float64Array(size),
    matrix: { kind: 'diagonal', size, entries: new Float64Array(size) },
  } as const;
  const forms = components.map(({ at, precision, logWeight }) => {
    const centre = { at, matrix: precision };
    const parts = 2 * (Math.abs(logWeight) + Math.abs(need));
    if (components.length > 1) return new DistanceDifference(nowhere, centre, 2 * (logWeight - need), map, parts);
    return new DistanceDifference(centre, nowhere, 2 * (need - logWeight), map, parts);
  });
  return forms.length > 1
    ? { kind: 'exp-quadratics', forms, logBound: 0, atLeast: true }
    : { kind: 'quadratic', form: forms[0] };
}

/** Work: shares compare each row with all other rows once. Each evaluation of a point compares the point with all rows. */
function nearRows(document: PlausibilityDocument, k: number, loaded: LoadedModel): Plausibility {
  const columns = backgroundColumns(loaded);
  const numbers = standardise(loaded, columns);
  const rows = columns.map((row) => numbers.of(row).slice());
  if (k >= rows.length) throw plausibilityError('.k', `the background has ${rows.length} rows; k must be less`);
  checkMatrixWork(rows.length ** 2 * numbers.size, 'policy.plausibility.k', 'distances between rows', loaded.bounds);
  // Each row is its own nearest row.
  const values = rows.map((row) => -kthNearest(rows, row, k + 1).distance);
  return plausibilityBy(new Nearness(numbers, rows, k), document, values);
}

class Nearness implements Measure {
  readonly flops: number;
  private readonly own: Float64Array;

  constructor(
    private readonly numbers: StandardisedNumbers,
    private readonly rows: readonly Float64Array[],
    private readonly k: number,
  ) {
    this.own = new Float64Array(numbers.size);
    this.flops = 2 * rows.length * numbers.size;
  }

  value(columns: Float64Array): number {
    return -kthNearest(this.rows, this.numbers.of(columns), this.k).distance;
  }

  readonly slope = (columns: Float64Array, out: Float64Array): void => {
    const z = this.numbers.of(columns);
    const { distance, row } = kthNearest(this.rows, z, this.k);
    for (let i = 0; i < z.length; i++) this.own[i] = distance > 0 ? (this.rows[row][i] - z[i]) / distance : 0;
    this.numbers.pullBack(this.own, out);
  };

  /** The k-th smallest distance between a row and the box. */
  readonly mostWithin = (lower: Float64Array, upper: Float64Array): number => {
    const box = this.numbers.boxOf(lower, upper);
    return -Math.sqrt(Float64Array.from(this.rows, (row) => squaredDistanceTo(box, row)).sort()[this.k - 1]);
  };

  penaltyOf = (value: number): number => -value;

  penaltySlope = (): number => -1;
}

/** The k-th nearest row and its distance. Of equal distances the earlier row counts as nearer. */
function kthNearest(rows: readonly Float64Array[], z: Float64Array, k: number): { distance: number; row: number } {
  const nearest = new Float64Array(k).fill(Infinity);
  const places = new Int32Array(k);
  for (const [r, row] of rows.entries()) {
    let sum = 0;
    for (let i = 0; i < z.length && sum < nearest[k - 1]; i++) sum += (z[i] - row[i]) ** 2;
    let place = k - 1;
    if (!(sum < nearest[place])) continue;
    for (; place > 0 && nearest[place - 1] > sum; place--) {
      nearest[place] = nearest[place - 1];
      places[place] = places[place - 1];
    }
    nearest[place] = sum;
    places[place] = r;
  }
  return { distance: Math.sqrt(nearest[k - 1]), row: places[k - 1] };
}
