/**
 * Directions in which the total T of cost and term falls, over the numbers, in cost lengths:
 *
 *   d_j = -∂T/∂y_j                           inside of the region
 *   d_j = -∂(T - λ m)/∂y_j                   along its boundary,  λ = ∇T·∇m / ∇m·∇m where that is above 0, m the margin
 *
 * Derivatives of T are one-sided differences. If T rises on both sides, as at the kink of an unchanged number, d_j is 0. The gradient of m is that of the
 * model. Without a gradient only the first direction exists.
 */
import type { Look, PersonSearch } from '../person-search.js';

/** The step of differences, relative to the reach. */
const SHARE = 1e-5;
/** A correction asks for this multiple of the missing margin. */
const MORE = 1.05;

/** T on both sides of a point, for each number. */
interface Sides {
  readonly up: Float64Array;
  readonly down: Float64Array;
}

export class BoundarySlope {
  /** ∇m by column, and by number in cost lengths. */
  private readonly columns: Float64Array;
  private readonly margin: Float64Array;

  constructor(private readonly search: PersonSearch) {
    this.columns = new Float64Array(search.problem.space.columns);
    this.margin = new Float64Array(search.numbers.length);
  }

  /** Points at some distances from a point along both directions. */
  at({ x }: Look, distances: readonly number[]): Float64Array[] {
    const { numbers } = this.search;
    if (!numbers.length) return [];
    this.learnMargin(x);
    const sides = this.sidesOf(x, SHARE * Math.max(...distances));
    const inside = falling(sides, this.margin, 0);
    const lambda = Math.max(0, -across(inside, this.margin));
    const directions = lambda > 0 ? [inside, tangent(falling(sides, this.margin, lambda), this.margin)] : [inside];
    return directions.flatMap((direction) => {
      const length = Math.hypot(...direction);
      return length > 0 && length < Infinity ? distances.map((t) => this.moved(x, direction, t / length)) : [];
    });
  }

  /** A point moved into the region by its missing margin, to first order. */
  mended({ x, margin }: Look): Float64Array {
    const square = this.margin.reduce((sum, entry) => sum + entry * entry, 0);
    return square > 0 && margin < 0 ? this.moved(x, this.margin, (-MORE * margin) / square) : x;
  }

  private learnMargin(x: Float64Array): void {
    const { problem, numbers, scale, limits, work } = this.search;
    if (!problem.gradient) return;
    limits.budget.spend(work);
    problem.gradient(x, this.columns);
    for (const [j, c] of numbers.entries()) this.margin[j] = this.columns[c] * scale[c];
    if (!this.margin.every(Number.isFinite)) this.margin.fill(0);
  }

  private sidesOf(x: Float64Array, h: number): Sides {
    const { search } = this;
    const { numbers, scale } = search;
    const here = search.costOf(x);
    const side = (sign: number) =>
      Float64Array.from(numbers, (c) => (search.costOf(x.with(c, x[c] + sign * h * scale[c])) - here) / h);
    search.limits.budget.spend(search.work);
    return { up: side(1), down: side(-1) };
  }

  private moved(x: Float64Array, direction: Float64Array, t: number): Float64Array {
    const { numbers, scale } = this.search;
    const moved = x.slice();
    for (const [j, c] of numbers.entries()) moved[c] += t * direction[j] * scale[c];
    return moved;
  }
}

/** The descent direction of T - λ m. */
const falling = ({ up, down }: Sides, margin: Float64Array, lambda: number): Float64Array =>
  up.map((rise, j) => {
    const [onwards, back] = [rise - lambda * margin[j], down[j] + lambda * margin[j]];
    return onwards < 0 && onwards <= back ? -onwards : Math.min(back, 0);
  });

/** The component of a direction across the boundary, in multiples of ∇m, over the numbers that the direction moves. */
function across(direction: Float64Array, margin: Float64Array): number {
  let [along, square] = [0, 0];
  for (let j = 0; j < margin.length; j++) {
    if (direction[j] === 0) continue;
    along += direction[j] * margin[j];
    square += margin[j] * margin[j];
  }
  return square > 0 ? along / square : 0;
}

/** The direction without its component across the boundary. */
function tangent(direction: Float64Array, margin: Float64Array): Float64Array {
  const share = across(direction, margin);
  return direction.map((entry, j) => (entry === 0 ? 0 : entry - share * margin[j]));
}
