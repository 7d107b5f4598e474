/**
 * The options of a number: the moves that help the sum, cheapest first, until a move alone is enough.
 *
 *   gain of t = g1 t + g2 t²        falls behind its vertex if g2 < 0,  starts to help at -g1/g2 if g1 < 0 < g2
 *
 * No other move is in a cheapest answer: staying, or a smaller move, costs less and gains at least as much. A number that may not stay keeps its
 * nearest value as well.
 */
import type { Feature } from '../../models/features.js';
import type { Cost } from '../../policy/cost.js';
import type { Domain } from '../../policy/domain.js';
import { isContinuous, nextValue, type Side, spacing } from '../../policy/values.js';
import { CostPieces } from './cost-pieces.js';
import type { Menu } from './menu.js';

/** Moves of a number to a side: the first one, the last one and the distance between them; 0: any distance. */
interface Moves {
  readonly first: number;
  readonly last: number;
  readonly step: number;
}

/** Rounding of a number of steps. */
const NEAR = 1e-9;

export class NumberOptions {
  private readonly pieces: CostPieces;
  /** A move alone suffices with this gain. */
  enough = 0;

  constructor(
    private readonly cost: Cost,
    private readonly menu: Menu,
  ) {
    this.pieces = new CostPieces(cost);
  }

  /** Adds the moves of a feature to both sides. False: a move is too large for a number. */
  add(domain: Domain, feature: Feature, slope: number, bend: number, mayStay: boolean): boolean {
    return (
      this.addSide(domain, feature, 1, slope, bend, mayStay) && this.addSide(domain, feature, -1, -slope, bend, mayStay)
    );
  }

  /** The gain of the nearest value of a number that may not stay. */
  static forcedGain({ origin, lower, upper }: Domain, { column }: Feature, slope: number, bend: number): number {
    const here = origin[column];
    const move = here < lower[column] ? lower[column] - here : upper[column] - here;
    return move * (slope + bend * move);
  }

  private addSide(domain: Domain, feature: Feature, side: Side, g1: number, g2: number, mayStay: boolean): boolean {
    if (mayStay && g1 <= 0 && g2 <= 0) return true;
    const moves = movesTo(domain, feature, side);
    if (!moves) return true;
    const { first, step } = moves;
    const start = mayStay && g1 < 0 ? Math.max(first, -g1 / g2) : first;
    const end = Math.min(moves.last, this.lastUseful(g1, g2, start, step));
    if (mayStay ? !(end >= start && end > 0) : !(end > start)) {
      if (!mayStay) this.addPieces(domain, feature, side, { first, last: first, step }, first, first, g1, g2);
      return true;
    }
    if (end === Infinity) return false;
    this.addPieces(domain, feature, side, moves, start, end, g1, g2);
    return true;
  }

  /** The largest move that may be of use: gains fall beyond it, or it suffices by itself. */
  private lastUseful(g1: number, g2: number, start: number, step: number): number {
    const { enough } = this;
    const vertex = g2 < 0 ? Math.max(0, -g1 / (2 * g2)) + step / 2 : Infinity;
    if (g1 <= 0 && g2 <= 0) return start;
    if (start * (g1 + g2 * start) >= enough) return start;
    const root = Math.sqrt(g1 * g1 + 4 * g2 * enough);
    if (Number.isNaN(root)) return vertex;
    const alone = g1 > 0 ? (2 * enough) / (g1 + root) : (root - g1) / (2 * g2);
    return Math.min(vertex, alone * (1 + NEAR) + step);
  }

  private addPieces(
    domain: Domain,
    feature: Feature,
    side: Side,
    { first, step }: Moves,
    start: number,
    end: number,
    g1: number,
    g2: number,
  ): void {
    const { pieces, menu } = this;
    const isFlat = this.cost.norm === 'l0';
    pieces.begin(feature, domain.origin[feature.column], side);
    let at = start;
    for (let k = 0; k < pieces.count && at <= end; k++) {
      const until = Math.min(end, pieces.end[k]);
      if (until < at) continue;
      let from = at;
      let to = until;
      if (step > 0) {
        from = first + step * Math.ceil((at - first) / step - NEAR);
        to = first + step * Math.floor((until - first) / step + NEAR);
      }
      // Where every move costs the same, the move that gains most is the only one.
      if (isFlat && from < to) from = to = from * (g1 + g2 * from) > to * (g1 + g2 * to) ? from : to;
      if (from <= to) {
        const i = menu.addMoves(feature.index, side, from, to, step);
        menu.setCost(i, pieces.c0[k], pieces.c1[k], pieces.c2[k]);
        menu.setGain(i, 0, g1, g2);
      }
      at = until;
      if (until === end) break;
    }
  }
}

/** Null: the feature has no value on that side. */
function movesTo(domain: Domain, feature: Feature, side: Side): Moves | null {
  const { column, index } = feature;
  const here = domain.origin[column];
  const last = side > 0 ? domain.upper[column] - here : here - domain.lower[column];
  if (!(last > 0)) return null;
  const least = Math.max(0, side > 0 ? domain.lower[column] - here : here - domain.upper[column]);
  if (isContinuous(domain, feature)) return { first: least, last, step: 0 };
  const step = spacing(domain, feature);
  const first =
    least > 0 ? least : domain.step[index] > 0 || domain.grid[index] > 0 ? step : firstOff(domain, feature, side);
  if (!(first <= last * (1 + NEAR))) return null;
  return { first, last: last < Infinity ? first + step * Math.round((last - first) / step) : last, step };
}

/** The distance of the first value where the present value lies between decimals. */
function firstOff(domain: Domain, feature: Feature, side: Side): number {
  const here = domain.origin[feature.column];
  return Math.abs(nextValue(domain, feature, here, side) - here);
}
