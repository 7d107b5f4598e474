/**
 * The density of a mixture of Gaussians over named numbers:  log Σ_k w_k N(x; μ_k, Σ_k),  up to a constant that all points share.
 * Limits compare with the rows of the background, penalties with the densest of the centres.
 */
import { invert } from './elimination.js';
import type { FeatureSpec } from './features.js';
import { atLeastZero, ROUNDING, type Verdict } from './verdict.js';

export interface MixtureSpec {
  features: string[];
  weights: number[];
  means: number[][];
  covariances: number[][][];
}

interface Component {
  mean: readonly number[];
  precision: readonly (readonly number[])[];
  logWeight: number;
  condition: number;
}

/** The product eases the needs of rows by about so much. */
const EASED = 1e-8;

export class MixtureDensity {
  private readonly places: readonly number[];
  private readonly components: readonly Component[];
  private readonly peak: number;

  constructor({ features, weights, means, covariances }: MixtureSpec, all: readonly FeatureSpec[]) {
    this.places = features.map((name) => all.findIndex((feature) => feature.name === name));
    this.components = means.map((mean, k) => {
      const { rows, logDeterminant, condition } = invert(covariances[k]);
      return { mean, precision: rows, logWeight: Math.log(weights[k]) - logDeterminant / 2, condition };
    });
    this.peak = Math.max(...means.map((mean) => this.logAt(mean)));
  }

  private logAt(x: readonly number[]): number {
    const terms = this.components.map(({ mean, precision, logWeight }) => {
      let form = 0;
      for (let i = 0; i < x.length; i++)
        for (let j = 0; j < x.length; j++) form += (x[i] - mean[i]) * precision[i][j] * (x[j] - mean[j]);
      return logWeight - form / 2;
    });
    const most = Math.max(...terms);
    return most + Math.log(terms.reduce((sum, term) => sum + Math.exp(term - most), 0));
  }

  logDensity(values: ArrayLike<number>): number {
    return this.logAt(this.places.map((f) => values[f]));
  }

  /** What rounding may do to a logarithm of that size. */
  errorOf(value: number): number {
    const most = Math.max(...this.components.map(({ condition, logWeight }) => condition * (1 + Math.abs(logWeight))));
    return 10 * ROUNDING * (most + Math.abs(value) * most);
  }

  penalty(values: ArrayLike<number>): number {
    return Math.max(0, this.peak - this.logDensity(values));
  }

  penaltyError(values: ArrayLike<number>): number {
    return this.errorOf(this.peak) + this.errorOf(this.logDensity(values));
  }

  /** More plausible than a share of the rows. */
  limit(rows: readonly ArrayLike<number>[], share: number): (values: ArrayLike<number>) => Verdict {
    const sorted = rows.map((row) => this.logDensity(row)).sort((a, b) => a - b);
    const need = sorted[Math.floor(share * sorted.length)];
    const doubt = EASED * (1 + Math.abs(need)) + this.errorOf(need);
    return (values) => {
      const value = this.logDensity(values);
      return atLeastZero(value - need, doubt + this.errorOf(value));
    };
  }
}
