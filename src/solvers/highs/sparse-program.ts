/**
 * A linear, mixed-integer or convex quadratic program as sparse arrays, built column by column and row by row:
 *
 *   min c·v + ½ vᵀHv   s.t.   rowLower <= A v <= rowUpper,   lower <= v <= upper,   v_j whole for marked columns
 */

/** Lower triangle of a symmetric matrix by compressed columns. */
export interface SparseHessian {
  readonly starts: readonly number[];
  readonly indices: readonly number[];
  readonly values: readonly number[];
}

/** Pairs of column and coefficient; a column occurs at most once. */
export type RowTerms = readonly (readonly [column: number, coefficient: number])[];

export class SparseProgram {
  readonly cost: number[] = [];
  readonly lower: number[] = [];
  readonly upper: number[] = [];
  /** By column: 1 for integer columns. */
  readonly whole: number[] = [];
  readonly rowLower: number[] = [];
  readonly rowUpper: number[] = [];
  /** Rows, compressed. */
  readonly starts: number[] = [0];
  readonly indices: number[] = [];
  readonly values: number[] = [];
  hessian: SparseHessian | null = null;

  addColumn(lower: number, upper: number, whole = false): number {
    this.cost.push(0);
    this.lower.push(lower);
    this.upper.push(upper);
    this.whole.push(whole ? 1 : 0);
    return this.cost.length - 1;
  }

  addBinary(): number {
    return this.addColumn(0, 1, true);
  }

  addRow(terms: RowTerms, lower: number, upper: number): void {
    for (const [column, coefficient] of terms) {
      if (coefficient === 0) continue;
      this.indices.push(column);
      this.values.push(coefficient);
    }
    this.starts.push(this.indices.length);
    this.rowLower.push(lower);
    this.rowUpper.push(upper);
  }

  /** Adds a row that limits the linear cost, scaled to a largest entry of 1. */
  limitCost(most: number): void {
    const largest = Math.max(0, ...this.cost);
    if (!(most < Infinity) || largest === 0) return;
    const terms = this.cost.map((price, j) => [j, price / largest] as const);
    this.addRow(terms, Number.NEGATIVE_INFINITY, most / largest);
  }

  /** Divides all costs by one number, so that the cheapest and the dearest are equally far from 1. Returns the number. */
  scaleCosts(): number {
    const prices = this.cost.filter((price) => price > 0);
    if (!prices.length) return 1;
    const scale = Math.sqrt(Math.min(...prices) * Math.max(...prices));
    for (let j = 0; j < this.cost.length; j++) this.cost[j] /= scale;
    return scale;
  }
}
