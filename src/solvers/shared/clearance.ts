/**
 * The distance of answers from the edge of a region that only the model decides: a library that adds up in another order must give the
 * same decision.
 *
 *   x + δ σ∘s  is an answer too,   s_c = |x_c| + |origin_c|,   σ some patterns of signs,   over continuous columns c that moved
 *
 * Columns of steps, decimals and categories have no edge between their values, and the model decides ties there. A model that is
 * scored elsewhere decides itself. An answer at the edge is moved slightly outwards, or kept if no better answer is found.
 */
import type { Domain } from '../../policy/domain.js';
import { hasMoved, isContinuous } from '../../policy/values.js';
import type { Problem } from '../../problems/problem.js';
import { isOracle } from './side-by-side.js';

/** δ: well above the rounding error of a sum, and below the precision of reported values. */
const EDGE = 1e-11;
/** The distances by which an answer at the edge is moved outwards, as shares of s. The first clear one is taken. */
const OUTWARD = [3e-11, 3e-10, 3e-9];
/** Signs by the index of a column among those that moved, relative to the direction of its move. */
const PATTERNS: readonly ((k: number) => number)[] = [() => 1, (k) => 1 - 2 * (k & 1), (k) => 1 - (k & 2)];

export class Clearance {
  private readonly isAsked: boolean;

  constructor(
    private readonly problem: Problem,
    private readonly domain: Domain,
    /** The model's decision, counted as work. */
    private readonly holds: Problem['holds'],
  ) {
    this.isAsked = !isOracle(problem);
  }

  /** Whether the answer holds for every resolution of ties in the model. */
  isClear(x: Float64Array): boolean {
    const { isClear } = this.problem;
    return !isClear || !this.movedColumns(x).length || isClear(x);
  }

  /** The answer itself if it is clear of the edge, else an answer slightly further out. If there is none, the answer itself. */
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
