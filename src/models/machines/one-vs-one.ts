/**
 * Votes of one-vs-one classifiers, as libsvm counts them and scikit-learn shows them. For every pair i < j there is a value f_ij.
 *
 *   vote       i where f_ij > 0, else j;  the class with most votes is decided, ties go to the lower class
 *   shown      votes_k + s_k / (3 (|s_k| + 1)),   s_k = Σ_{j>k} f_kj - Σ_{i<k} f_ik,   here f_ij = 0 votes for i
 */

export interface ClassPair {
  readonly low: number;
  readonly high: number;
}

export function pairsOf(classes: number): ClassPair[] {
  const pairs: ClassPair[] = [];
  for (let low = 0; low < classes; low++) for (let high = low + 1; high < classes; high++) pairs.push({ low, high });
  return pairs;
}

export class OneVsOne {
  readonly pairs: readonly ClassPair[];
  private readonly votes: Float64Array;
  private readonly sums: Float64Array;

  constructor(readonly classes: number) {
    this.pairs = pairsOf(classes);
    this.votes = new Float64Array(classes);
    this.sums = new Float64Array(classes);
  }

  winner(values: Float64Array): number {
    this.votes.fill(0);
    for (let p = 0; p < this.pairs.length; p++) this.votes[values[p] > 0 ? this.pairs[p].low : this.pairs[p].high]++;
    return this.votes.indexOf(Math.max(...this.votes));
  }

  show(values: Float64Array, out: Float64Array): void {
    const { pairs, sums } = this;
    out.fill(0);
    this.addUp(values);
    for (let p = 0; p < pairs.length; p++) out[values[p] < 0 ? pairs[p].high : pairs[p].low]++;
    for (let k = 0; k < out.length; k++) out[k] += sums[k] / (3 * (Math.abs(sums[k]) + 1));
  }

  private addUp(values: Float64Array): void {
    this.sums.fill(0);
    for (let p = 0; p < this.pairs.length; p++) {
      this.sums[this.pairs[p].low] += values[p];
      this.sums[this.pairs[p].high] -= values[p];
    }
  }

  /** By pair: the slope of a class's reported score, with the votes fixed. */
  shownSlopes(values: Float64Array, index: number): Float64Array {
    this.addUp(values);
    const slope = 1 / (3 * (Math.abs(this.sums[index]) + 1) ** 2);
    return Float64Array.from(this.pairs, ({ low, high }) => (low === index ? slope : high === index ? -slope : 0));
  }

  /**
   * The distance of the values inside the class, and the pair that decides about it:
   *
   *   the class beats all others    its least lead
   *   the class wins by ties        the least |f| of all pairs: beyond it a vote changes
   *   else                          its worst lead, which is at most 0
   */
  lead(values: Float64Array, index: number): { value: number; pair: number; sign: 1 | -1 } {
    const own = this.leastBy(values, (p) => this.favour(p, index));
    if (own.value > 0 || this.winner(values) !== index) return own;
    return this.leastBy(values, (p) => (values[p] > 0 ? 1 : -1));
  }

  /** The sign with which a pair votes for a class; 0: the pair concerns other classes. */
  private favour(p: number, index: number): 1 | -1 | 0 {
    return this.pairs[p].low === index ? 1 : this.pairs[p].high === index ? -1 : 0;
  }

  private leastBy(values: Float64Array, signOf: (p: number) => 1 | -1 | 0) {
    let least = { value: Infinity, pair: 0, sign: 1 as 1 | -1 };
    for (let p = 0; p < values.length; p++) {
      const sign = signOf(p);
      if (sign !== 0 && sign * values[p] < least.value) least = { value: sign * values[p], pair: p, sign };
    }
    return least;
  }

  /** All sets of signs by pair with which a class wins. Null: the pair does not matter. */
  winningSigns(index: number): (1 | -1 | null)[][] {
    const all = this.pairs.map((_, p) => this.favour(p, index) || null);
    const winning = [all];
    for (let pattern = 0; pattern < 2 ** this.pairs.length; pattern++) {
      const signs = this.pairs.map((_, p) => ((pattern >> p) & 1 ? 1 : -1));
      const beatsAll = all.every((sign, p) => sign === null || sign === signs[p]);
      if (!beatsAll && this.winner(Float64Array.from(signs)) === index) winning.push(signs as (1 | -1)[]);
    }
    return winning;
  }
}
