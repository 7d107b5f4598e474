/**
 * How far answers stay from the edge of a region that is known by the model's word: a library that adds up in another order must say the same.
 *
 *   x + δ σ∘s  is an answer too,   s_c = |x_c| + |origin_c|,   σ some patterns of signs,   over continuous columns c that moved
 *
 * Columns of steps, decimals and categories have no edge between their values: a tie there is the model's own to decide. A model that is
 * scored elsewhere has the last word itself. An answer at the edge is moved outward a little, or kept for want of a better one.
 */
import type { Domain } from '../../policy/domain.js';
import { hasMoved, isContinuous } from '../../policy/values.js';
import type { Problem } from '../../problems/problem.js';
import { isOracle } from './side-by-side.js';

/** δ: well above what rounding does to a sum, and below what a person could be told. */
const EDGE = 1e-11;
/** How far outward an answer at the edge is moved, as a share of s: the first that is clear. */
const OUTWARD = [3e-11, 3e-10, 3e-9];
/** Signs by the place of a column among those that moved, relative to the direction of its move. */
const PATTERNS: readonly ((k: number) => number)[] = [() => 1, (k) => 1 - 2 * (k & 1), (k) => 1 - (k & 2)];

export class Clearance {
  private readonly isAsked: boolean;

  constructor(
    private readonly problem: Problem,
    private readonly domain: Domain,
    /** The model's word, counted as work. */
    private readonly holds: Problem['holds'],
  ) {
    this.isAsked = !isOracle(problem);
  }

  /** Whether ties in the model leave an answer standing. */
  isClear(x: Float64Array): boolean {
    const { isClear } = this.problem;
    return !isClear || !this.movedColumns(x).length || isClear(x);
  }

  /** The answer itself where it is clear of the edge, else one a little further out; the same answer where there is none. */
  awayFromEdge(x: Float64Array, place: (x: Float64Array) => Float64Array | null): Float64Array {
    const columns = this.movedColumns(x);
    if (!this.isAsked || !columns.length || this.isInside(x, columns)) return x;
    for (const share of OUTWARD) {
      const further = place(this.shifted(x, columns, share, PATTERNS[0]));
      if (further && this.holds(further) && this.isClear(further) && this.isInside(further, columns)) return further;
    }
    return x;
  }

  private isInside(x: Float64Array, columns: readonly number[]): boolean {
    const patterns = PATTERNS.slice(0, columns.length);
    return patterns.every((pattern) =>
      [EDGE, -EDGE].every((share) => this.holds(this.shifted(x, columns, share, pattern))),
    );
  }

  private shifted(x: Float64Array, columns: readonly number[], share: number, sign: (k: number) => number) {
    const { origin } = this.domain;
    const shifted = x.slice();
    for (const [k, c] of columns.entries()) {
      const outward = x[c] > origin[c] ? 1 : -1;
      shifted[c] += outward * sign(k) * share * (Math.abs(x[c]) + Math.abs(origin[c]));
    }
    return shifted;
  }

  private movedColumns(x: Float64Array): number[] {
    const { domain } = this;
    return this.problem.space.features
      .filter((feature) => feature.kind !== 'choice' && isContinuous(domain, feature))
      .filter((feature) => !Number.isNaN(domain.origin[feature.column]) && hasMoved(feature, domain.origin, x))
      .map(({ column }) => column);
  }
}
