/**
 * The k samples nearest to a point, nearest first; of samples at the same distance the earlier one comes first.
 *
 *   euclidean   Σ (x_j - s_j)²  is compared, as scikit-learn compares;  the distance is its root
 *   manhattan   Σ |x_j - s_j|
 */
export type Metric = 'euclidean' | 'manhattan';

export class NearestSamples {
  readonly count: number;
  /** Of the last call: the nearest samples, and the compared measure of each. */
  readonly indices: Int32Array;
  readonly compared: Float64Array;

  constructor(
    /** All samples, concatenated. */
    readonly samples: Float64Array,
    readonly inputs: number,
    readonly k: number,
    readonly metric: Metric,
  ) {
    this.count = samples.length / inputs;
    this.indices = new Int32Array(k);
    this.compared = new Float64Array(k);
  }

  find(x: Float64Array): void {
    const { k, compared, count } = this;
    compared.fill(Infinity);
    for (let s = 0; s < count; s++) {
      const measured = this.measure(s, x, compared[k - 1]);
      if (measured < compared[k - 1] || s < k) this.insert(s, measured);
    }
  }

  /** Replaces the found samples by k given samples. */
  take(samples: readonly number[], x: Float64Array): void {
    for (const [i, s] of samples.entries()) {
      this.indices[i] = s;
      this.compared[i] = this.measure(s, x);
    }
  }

  /** The distance of the i-th nearest. */
  distance(i: number): number {
    return this.metric === 'euclidean' ? Math.sqrt(this.compared[i]) : this.compared[i];
  }

  /** The compared measure of a sample. The sum stops early once it exceeds `enough`. */
  measure(s: number, x: Float64Array, enough = Infinity): number {
    const { samples, inputs } = this;
    const isSquared = this.metric === 'euclidean';
    let sum = 0;
    for (let j = 0, at = s * inputs; j < inputs; j++, at++) {
      const difference = x[j] - samples[at];
      sum += isSquared ? difference * difference : Math.abs(difference);
      if (sum > enough) return sum;
    }
    return sum;
  }

  /** Inserts a sample after all others of the same distance. */
  private insert(s: number, measured: number): void {
    const { k, indices, compared } = this;
    let at = Math.min(s, k - 1);
    while (at > 0 && compared[at - 1] > measured) {
      compared[at] = compared[at - 1];
      indices[at] = indices[at - 1];
      at--;
    }
    compared[at] = measured;
    indices[at] = s;
  }
}
