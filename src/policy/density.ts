/**
 * Plausibility by the density of the background, over standardised numbers z = (x - mean) / deviation:
 *
 *   mixture      log Σ_k w_k N(z; μ_k, Σ_k)  >=  need         fitted once per model (gaussian-mixture.ts)
 *   neighbours   -(distance from z to its k-th nearest row)  >=  need
 *
 * The mixture as an atom:  Σ_k exp(½ q_k(x)) >= 1,  q_k(x) = 2 (log weight_k - need) - (z - μ_k)ᵀ Σ_k⁻¹ (z - μ_k).  One component is an
 * ellipsoid, a convex quadratic. Categories, ranks and numbers that are the same in all rows have no density and are left out. A missing
 * number that the model does not impute stands for the mean.
 */
import type { PlausibilityDocument } from '../documents/policy-document.js';
import { type AffineMap, applyMap, pullBackVector } from '../linalg/affine.js';
import { addQuadraticGradient } from '../linalg/symmetric-matrix.js';
import { logSumExp } from '../linalg/vector.js';
import { checkMatrixWork } from '../models/bounds.js';
import { DistanceDifference } from '../models/distance-difference.js';
import type { LoadedModel } from '../models/load.js';
import { type Atom, contains } from '../models/region.js';
import { fitMixture, type GaussianComponent, logTerms, MOST_ROUNDS } from '../models/rows/gaussian-mixture.js';
import { BackgroundValues, backgroundColumns, eased, plausibilityError, spreadOf } from './background-columns.js';
import type { Plausibility } from './plausibility-measure.js';

const DEFAULT_COMPONENTS = 3;

export function compileDensity(document: PlausibilityDocument, loaded: LoadedModel): Plausibility {
  const { atLeast, components = DEFAULT_COMPONENTS, k } = document;
  if (atLeast === undefined) throw plausibilityError('.atLeast', 'is needed for the method "density"');
  const numbers = standardise(loaded);
  return k === undefined ? mixtureOf(numbers, components, atLeast, loaded) : nearRows(numbers, k, atLeast, loaded);
}

/** Columns of numbers that differ between rows, standardised. */
class Numbers {
  private readonly known: Float64Array;
  private readonly z: Float64Array;

  constructor(
    readonly map: AffineMap,
    private readonly standIn: Float64Array,
    private readonly columns: readonly number[],
  ) {
    this.known = new Float64Array(standIn.length);
    this.z = new Float64Array(columns.length);
  }

  /** Valid until the next call. */
  of(columns: Float64Array): Float64Array {
    applyMap(this.map, this.filled(columns), this.z);
    return this.z;
  }

  /** With nothing missing; valid until the next call. */
  filled(columns: Float64Array): Float64Array {
    this.known.set(columns);
    for (const c of this.columns) if (Number.isNaN(columns[c])) this.known[c] = this.standIn[c];
    for (let c = 0; c < this.known.length; c++) if (Number.isNaN(this.known[c])) this.known[c] = 0;
    return this.known;
  }
}

interface Standardised {
  readonly numbers: Numbers;
  /** The background. */
  readonly rows: readonly Float64Array[];
  readonly columns: readonly Float64Array[];
}

function standardise(loaded: LoadedModel): Standardised {
  const columns = backgroundColumns(loaded);
  const { features } = loaded.space;
  const kept = features
    .filter(({ kind }) => kind === 'continuous' || kind === 'integer')
    .map(({ column }) => ({ column, ...momentsOf(columns, column) }))
    .filter(({ deviation }) => deviation > 0 && Number.isFinite(deviation));
  if (!kept.length) throw plausibilityError('.method', 'the background has no numbers that differ between rows');
  const matrix = kept.map(({ column, deviation }) => {
    const row = new Float64Array(loaded.space.columns);
    row[column] = 1 / deviation;
    return row;
  });
  const map = { matrix, diagonal: null, offset: Float64Array.from(kept, ({ mean, deviation }) => -mean / deviation) };
  const standIn = loaded.preprocessing.imputed.slice();
  for (const { column, mean } of kept) if (Number.isNaN(standIn[column])) standIn[column] = mean;
  const numbers = new Numbers(
    map,
    standIn,
    kept.map(({ column }) => column),
  );
  return { numbers, columns, rows: columns.map((row) => numbers.of(row).slice()) };
}

function momentsOf(rows: readonly Float64Array[], column: number): { mean: number; deviation: number } {
  const values = rows.map((row) => row[column]).filter((value) => !Number.isNaN(value));
  const mean = values.reduce((sum, value) => sum + value / values.length, 0);
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2 / values.length, 0);
  return { mean, deviation: Math.sqrt(variance) };
}

function mixtureOf({ numbers, rows, columns }: Standardised, count: number, atLeast: number, loaded: LoadedModel) {
  const work = MOST_ROUNDS * rows.length * count * rows[0].length ** 2;
  checkMatrixWork(work, 'policy.plausibility.components', 'the mixture of the background', loaded.bounds);
  const components = fitMixture(rows, count);
  const values = columns.map((row) => logSumExp(logTerms(components, numbers.of(row))));
  const background = new BackgroundValues(values);
  const need = eased(background.quantile(atLeast));
  return new Mixture(numbers, components, need, spreadOf(values), background);
}

class Mixture implements Plausibility {
  readonly atom: Atom;
  private readonly slope: Float64Array;

  constructor(
    private readonly numbers: Numbers,
    private readonly components: readonly GaussianComponent[],
    private readonly need: number,
    private readonly spread: number,
    private readonly background: BackgroundValues,
  ) {
    this.slope = new Float64Array(numbers.map.offset.length);
    this.atom = atomOf(components, need, numbers.map);
  }

  /** By the atom's own arithmetic. */
  holds(columns: Float64Array): boolean {
    return contains({ rows: [], atoms: [this.atom] }, this.numbers.filled(columns));
  }

  readonly shareOf = (columns: Float64Array): number => this.background.shareUpTo(this.logDensity(columns));

  readonly margin = (columns: Float64Array): number => (this.logDensity(columns) - this.need) / this.spread;

  private logDensity(columns: Float64Array): number {
    return logSumExp(logTerms(this.components, this.numbers.of(columns)));
  }

  readonly gradient = (columns: Float64Array, out: Float64Array): void => {
    const z = this.numbers.of(columns);
    const terms = logTerms(this.components, z);
    const total = logSumExp(terms);
    this.slope.fill(0);
    for (const [k, { at, precision }] of this.components.entries())
      addQuadraticGradient(precision, z, at, (-0.5 * Math.exp(terms[k] - total)) / this.spread, this.slope);
    out.set(pullBackVector(this.numbers.map, this.slope).a);
  };
}

function atomOf(components: readonly GaussianComponent[], need: number, map: AffineMap): Atom {
  const size = components[0].at.length;
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

/** Every row is compared with all others once, and an answer with all rows at every look. */
function nearRows({ numbers, rows }: Standardised, k: number, atLeast: number, loaded: LoadedModel): Plausibility {
  if (k >= rows.length) throw plausibilityError('.k', `the background has ${rows.length} rows; k must be less`);
  checkMatrixWork(rows.length ** 2 * rows[0].length, 'policy.plausibility.k', 'distances between rows', loaded.bounds);
  // A row is its own nearest.
  const values = rows.map((row) => -distanceToKth(rows, row, k + 1));
  const background = new BackgroundValues(values);
  const need = eased(background.quantile(atLeast));
  const nearness = (columns: Float64Array) => -distanceToKth(rows, numbers.of(columns), k);
  const spread = spreadOf(values);
  return {
    atom: null,
    holds: (columns) => nearness(columns) >= need,
    shareOf: (columns) => background.shareUpTo(nearness(columns)),
    margin: (columns) => (nearness(columns) - need) / spread,
  };
}

function distanceToKth(rows: readonly Float64Array[], z: Float64Array, k: number): number {
  const nearest = new Float64Array(k).fill(Infinity);
  for (const row of rows) {
    let sum = 0;
    for (let i = 0; i < z.length && sum < nearest[k - 1]; i++) sum += (z[i] - row[i]) ** 2;
    let place = k - 1;
    if (!(sum < nearest[place])) continue;
    for (; place > 0 && nearest[place - 1] > sum; place--) nearest[place] = nearest[place - 1];
    nearest[place] = sum;
  }
  return Math.sqrt(nearest[k - 1]);
}
