/**
 * The maximum of a concave function of one multiplier, for problems with one constraint:
 *
 *   max L(λ),   λ >= 0 or λ <= 0
 *
 * The multiplier grows from 0 until the slope turns. Then the tangents at both ends of the bracket meet above the maximum: the next
 * multiplier is where they meet (Kelley's method on a line), and the height there bounds what is left to gain. A function that is linear in
 * parts takes one step for each part near the maximum.
 */
import type { Concave } from './dual-ascent.js';

/** A gain below this share of the value ends the ascent. */
const WORTH = 1e-10;
const GROWTH = 4;
/** Where tangents meet close to an end of the bracket, the multiplier keeps this share of the bracket as distance. */
const MARGIN = 0.01;

/** A multiplier with the value and the slope there. */
interface Look {
  readonly at: number;
  readonly value: number;
  readonly slope: number;
}

export class LineAscent {
  readonly best = new Float64Array(1);
  bestValue = Number.NEGATIVE_INFINITY;
  evaluations = 0;

  constructor(private readonly concave: Concave) {}

  /** Climbs from `start` with a first step of `scale`. Stops at `target` or after `most` evaluations. */
  run(start: Float64Array, scales: Float64Array, target: number, most: number): void {
    const zero = this.look(0);
    const side = Math.sign(zero.slope) as 1 | 0 | -1;
    if (side === 0 || !this.concave.mayBe(0, side)) return;
    let inner = zero;
    let step = start[0] * side > 0 ? Math.abs(start[0]) : scales[0];
    let outer = this.look(side * step);
    while (outer.slope * side > 0 && this.isOpen(target, most)) {
      inner = outer;
      step *= GROWTH;
      outer = this.look(side * step);
    }
    if (outer.slope * side < 0 || outer.value === Number.NEGATIVE_INFINITY) this.narrow(inner, outer, target, most);
  }

  private isOpen(target: number, most: number): boolean {
    return this.evaluations < most && this.bestValue < target;
  }

  private look(at: number): Look {
    this.evaluations++;
    const value = this.concave.evaluate(Float64Array.of(at));
    if (value > this.bestValue) {
      this.bestValue = value;
      this.best[0] = at;
    }
    return { at, value, slope: this.concave.slope[0] };
  }

  private narrow(inner: Look, outer: Look, target: number, most: number): void {
    let [one, other] = [inner, outer];
    while (this.isOpen(target, most)) {
      const [at, height] = meeting(one, other);
      if (!(height - this.bestValue > WORTH * Math.abs(this.bestValue))) return;
      const width = other.at - one.at;
      const share = Math.min(1 - MARGIN, Math.max(MARGIN, (at - one.at) / width));
      const next = this.look(one.at + share * width);
      if (next.slope === 0 || next.at === one.at || next.at === other.at) return;
      const isInner = next.value > Number.NEGATIVE_INFINITY && next.slope * one.slope > 0;
      [one, other] = isInner ? [next, other] : [one, next];
    }
  }
}

/** Where the tangents of two looks meet. Without a tangent on the far side the middle is taken. */
function meeting(one: Look, other: Look): [at: number, height: number] {
  if (!(other.value > Number.NEGATIVE_INFINITY)) return [(one.at + other.at) / 2, Infinity];
  const at = one.at + (other.value - one.value + other.slope * (one.at - other.at)) / (one.slope - other.slope);
  return [at, one.value + one.slope * (at - one.at)];
}
