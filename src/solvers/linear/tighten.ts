/**
 * Removes values that cannot be part of a better answer from a part, by the multipliers y of its relaxation. With bound L and an
 * incumbent of cost U, a better answer has every move v_j where
 *
 *   f(v_j) = φ_j(v_j) - y·a_j v_j - min over the interval of that  <  U - L
 *
 * f bends where the move's cost bends. The remaining values become an interval again: from the first to the last of them.
 */
import type { Feature } from '../../models/features.js';
import type { Domain } from '../../policy/domain.js';
import { isContinuous, lastWithin, type Side } from '../../policy/values.js';
import type { Problem } from '../../problems/problem.js';
import type { BoundsPool } from './bounds-pool.js';
import type { MoveModel } from './moves.js';
import type { NodePart, NodeProgram } from './node-program.js';

/** An interval of numbers is cut only if it shrinks by more than this share. */
const WORTHWHILE = 1e-3;
/** The largest relative rounding error of U - L and of f. */
const DOUBT = 1e-9;

export class Tightening {
  private readonly points: number[] = [];
  private readonly heights: number[] = [];
  /** The remaining interval of the last move that was checked. */
  private first = 0;
  private last = 0;
  private ceiling = Infinity;
  private view: Domain | null = null;

  constructor(
    private readonly problem: Problem,
    private readonly model: MoveModel,
    private readonly program: NodeProgram,
    private readonly pool: BoundsPool,
  ) {}

  /** Shrinks the part that the program solved last, in its own bounds. `ceiling`: U. */
  apply(part: NodePart, domain: Domain, ceiling: number): void {
    this.ceiling = ceiling;
    const room = (ceiling - this.program.proved) * (1 + DOUBT);
    if (!(room < Infinity) || room < 0) return;
    this.view = null;
    for (const feature of this.problem.space.features) {
      if (feature.kind === 'choice') this.closeCategories(feature, domain, part, room);
      else this.narrow(feature, domain, part, room);
    }
  }

  /** The part as a domain. From the first cut on the domain has its own bounds. */
  private own(domain: Domain, part: NodePart): Domain {
    if (this.view) return this.view;
    part.lower = this.pool.copyOf(part.lower);
    part.upper = this.pool.copyOf(part.upper);
    this.view = { ...domain, lower: part.lower, upper: part.upper };
    return this.view;
  }

  private closeCategories({ index, column }: Feature, domain: Domain, part: NodePart, room: number): void {
    for (const j of this.model.movesOf[index]) {
      if (!this.program.has(j) || this.program.least[j] > 0) continue;
      this.keep(j, part.changed[index] === 1, room);
      if (this.last < 1 - DOUBT) this.own(domain, part).upper[column + this.model.moves[j].category] = 0;
    }
  }

  private narrow(feature: Feature, domain: Domain, part: NodePart, room: number): void {
    const moves = this.model.movesOf[feature.index];
    if (!moves.length) return;
    this.narrowSide(feature, domain, part, room, moves[0], 1);
    this.narrowSide(feature, domain, part, room, moves[1], -1);
  }

  private narrowSide(feature: Feature, domain: Domain, part: NodePart, room: number, j: number, side: Side): void {
    const { program } = this;
    if (!program.has(j)) return;
    this.keep(j, part.changed[feature.index] === 1, room);
    const { first, last } = this;
    const here = domain.origin[feature.column];
    if (last < program.most[j]) this.cut(feature, domain, part, here + side * last, side);
    // A move that has to be made also bounds the feature at the near end.
    if (program.least[j] > 0 && first > program.least[j])
      this.cut(feature, domain, part, here + side * first, -side as Side);
  }

  /** Cuts the values beyond an end on a side, if the cut is large enough. */
  private cut(feature: Feature, domain: Domain, part: NodePart, end: number, side: Side): void {
    const { column: c } = feature;
    const own = side > 0 ? part.upper[c] : part.lower[c];
    const here = domain.origin[c];
    const other = side > 0 ? Math.max(part.lower[c], here) : Math.min(part.upper[c], here);
    if (!((own - end) * side > WORTHWHILE * Math.abs(own - other))) return;
    const view = this.own(domain, part);
    const kept = isContinuous(view, feature) ? end : lastWithin(view, feature, end, side);
    if (Number.isNaN(kept)) return;
    if (side > 0) view.upper[c] = Math.max(kept, view.lower[c]);
    else view.lower[c] = Math.min(kept, view.upper[c]);
  }

  /** Stores the remaining interval of a move in `first` and `last`. */
  private keep(j: number, isDecided: boolean, room: number): void {
    const pull = this.program.pull(j);
    const { norm, weight } = this.problem.cost;
    const { feature, kind } = this.model.moves[j];
    this.first = this.program.least[j];
    this.last = this.program.most[j];
    if (norm === 'l0' && !isDecided) this.keepOfJump(weight[feature.index], pull, room);
    else if (norm === 'percentile' && kind !== 'choose') this.keepOfCurve(j, pull, room);
    else {
      const price = norm === 'l0' ? 0 : kind === 'choose' ? this.model.choicePrice[j] : weight[feature.index];
      this.keepOfLine(price - pull, room + DOUBT * price * this.first);
    }
  }

  private keepOfLine(slope: number, room: number): void {
    if (slope > 0) this.last = Math.min(this.last, this.first + room / slope);
    else if (slope < 0 && this.last < Infinity) this.first = Math.max(this.first, this.last + room / slope);
  }

  /** A change costs the same for every amount, so all amounts remain or none. */
  private keepOfJump(weight: number, pull: number, room: number): void {
    if (this.first > 0) return;
    const gain = pull > 0 ? pull * this.last : 0;
    const isOut = weight - gain - Math.min(0, weight - gain) > room;
    if (isOut || this.program.fixed + weight >= this.ceiling) this.last = 0;
  }

  private keepOfCurve(j: number, pull: number, room: number): void {
    const { costs } = this.program;
    const { points, heights, first: least, last: most } = this;
    points.length = heights.length = 0;
    const add = (amount: number) => {
      points.push(amount);
      heights.push(costs.of(j, amount) - pull * amount);
    };
    add(least);
    for (const bend of costs.bends(j)) if (bend > least && bend < most) add(bend);
    if (most < Infinity) add(most);
    const tail = costs.tail(j) - pull;
    if (most === Infinity && !(tail > 0)) return;
    const limit = Math.min(...heights) + room + DOUBT * Math.abs(pull) * points[points.length - 1];
    this.first = firstBelow(points, heights, limit);
    this.last = lastBelow(points, heights, limit, most === Infinity ? tail : 0);
  }
}

/** The first amount at which a chain is at most the limit. The chain must reach the limit somewhere. */
function firstBelow(points: readonly number[], heights: readonly number[], limit: number): number {
  const k = heights.findIndex((height) => height <= limit);
  return k > 0 ? crossing(points, heights, k - 1, limit) : points[0];
}

/** The last amount at which the chain is at most the limit. Beyond its end the chain continues with a positive slope, or not at all. */
function lastBelow(points: readonly number[], heights: readonly number[], limit: number, tail: number): number {
  const k = heights.findLastIndex((height) => height <= limit);
  if (k < points.length - 1) return crossing(points, heights, k, limit);
  return tail > 0 ? points[k] + (limit - heights[k]) / tail : points[k];
}

function crossing(points: readonly number[], heights: readonly number[], k: number, limit: number): number {
  const share = (limit - heights[k]) / (heights[k + 1] - heights[k]);
  return points[k] + share * (points[k + 1] - points[k]);
}
