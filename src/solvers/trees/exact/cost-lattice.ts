/**
 * When all costs are multiples of a number q up to a small excess, every sum of costs is too. A bound above (K - 1) q then proves
 * K q. Whole numbers, equal weights and L0 give costs of this kind; the next double after a threshold gives the small excess.
 *
 *   c = q k + δ,  k whole,  0 <= δ <= excess, for every cost c;   a point cheaper than `below` makes at most M = below / min c changes
 *   Σ c > (K - 1) q + M excess   =>   Σ k >= K   =>   Σ c >= K q
 *
 * `target(below)`: a bound above the target proves that no point costs less than `below`.
 */

/** The least cost is a multiple of q. These multiples are tried. */
const DIVISORS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 20];
/** The largest excess that is accepted, as a share of q. */
const LITTLE = 0.02;
const ROUNDING = 1e-9;

export class CostLattice {
  private constructor(
    private readonly step: number,
    private readonly excess: number,
  ) {}

  /** The lattice of the positive costs below `below` among the first `count`. Null: none. */
  static of(costs: Float64Array, count: number, below: number): CostLattice | null {
    let least = Infinity;
    for (let s = 0; s < count; s++) if (costs[s] > 0 && costs[s] < least) least = costs[s];
    if (!(least < below)) return null;
    for (const divisor of DIVISORS) {
      const step = least / divisor;
      const excess = (below / least) * largestExcess(costs, count, below, step);
      if (excess < 0.5 * step) return new CostLattice(step, excess);
    }
    return null;
  }

  target(below: number): number {
    const next = Math.ceil(below / this.step - ROUNDING);
    return Math.min(below, (next - 1) * this.step + this.excess + ROUNDING * below);
  }
}

/** The largest distance of a cost above its multiple of the step; Infinity when a distance exceeds LITTLE. */
function largestExcess(costs: Float64Array, count: number, below: number, step: number): number {
  let largest = 0;
  for (let s = 0; s < count; s++) {
    if (!(costs[s] > 0 && costs[s] < below)) continue;
    const excess = costs[s] - step * Math.floor(costs[s] / step + ROUNDING);
    if (excess > LITTLE * step) return Infinity;
    if (excess > largest) largest = excess;
  }
  return largest;
}
