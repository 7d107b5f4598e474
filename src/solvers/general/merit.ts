/**
 * Equation (1) for searches that only compare points:  loss + C cost / K.
 *
 *   loss   0 for an answer, else max(-m, 0)/μ, at least a small constant: an exact penalty, whose minimum lies on the boundary for every C below a bound
 *   μ, K   scales: the missing margin at the row, and the cost of an answer; C is then about 1
 *
 * A point is  y:  numbers as differences from the row in cost lengths, and a weight for each allowed category. The category with the largest weight is taken.
 */
import type { Asked, Look, PersonSearch } from './person-search.js';

/** A point that is no answer has at least this loss. */
const LEAST_LOSS = 1e-6;

export class Merit {
  /** C. Below 1, an answer has a smaller merit than the row. */
  strength = 0.5;
  /** The columns of y: numbers, and one column for each category. */
  readonly columns: readonly number[];
  private readonly missing: number;

  constructor(
    private readonly search: PersonSearch,
    home: Look,
    private readonly typicalCost: number,
  ) {
    const { free, domain } = search;
    this.columns = free.flatMap(({ kind, column, width }) =>
      kind === 'choice'
        ? Array.from({ length: width }, (_, k) => column + k).filter((c) => domain.upper[c] > 0)
        : [column],
    );
    this.missing = Number.isFinite(home.margin) && home.margin < 0 ? -home.margin : 1;
  }

  /** Maps a point to y. */
  read(x: Float64Array, y: Float64Array): void {
    const { domain, scale } = this.search;
    for (const [j, c] of this.columns.entries()) y[j] = this.isNumber(c) ? (x[c] - domain.origin[c]) / scale[c] : x[c];
  }

  /** The point of y, placed in the domain. Null: no such point keeps the policy. */
  place(y: Float64Array): Float64Array | null {
    const { domain, scale, home } = this.search;
    const x = home.slice();
    for (const [j, c] of this.columns.entries()) x[c] = this.isNumber(c) ? domain.origin[c] + scale[c] * y[j] : y[j];
    return this.search.place(x);
  }

  /** Evaluates points. Null for a y without a placed point. */
  *ask(points: readonly Float64Array[]): Asked<(Look | null)[]> {
    const placed = points.map((y) => this.place(y));
    const looks = yield* this.search.ask(placed.filter((x) => x !== null));
    let next = 0;
    return placed.map((x) => (x ? looks[next++] : null));
  }

  /** loss + C cost / K. Infinity for a y without a placed point. */
  of(look: Look | null, strength = this.strength): number {
    if (!look) return Infinity;
    const loss = look.isAnswer ? 0 : Math.max(LEAST_LOSS, -look.margin / this.missing);
    return loss + (strength * this.search.costOf(look.x)) / this.typicalCost;
  }

  private isNumber(c: number): boolean {
    const { space } = this.search.problem;
    return space.features[space.owner[c]].kind !== 'choice';
  }
}
