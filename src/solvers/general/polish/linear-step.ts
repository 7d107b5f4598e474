/**
 * The cheapest point that a linear model of the margin allows, in a box around the point where the model was made:
 *
 *   min cost(v - x)   s.t.   g·(v - z) >= need,   |v_c - z_c| <= ρ s_c,   v in the domain
 *
 * The cost is a sum over features, so a multiplier λ separates the problem by feature:  v_f(λ) = argmin c_f(v) - λ g_f v.
 *
 *   l1, l0       the present value, or the end of the box towards g            percentile   the best bend of F or end
 *   l2           the present value + λ g/(2w), clipped                          categories   the best gain for its weight
 *   mahalanobis  x + λ/2 M⁻¹ g over the numbers that may change, clipped
 *
 * g·v(λ) grows with λ. λ is found among the jumps (l1, l0) or by regula falsi. If v(λ) jumps across `need`, the jumping features move one after the
 * other, and the last number moves only as far as needed.
 */
import { backward, forward } from '../../../linalg/cholesky.js';
import type { Feature } from '../../../models/features.js';
import { changeCost } from '../../../policy/cost.js';
import { mayStand } from '../../../policy/domain.js';
import { hasMoved } from '../../../policy/values.js';
import type { PersonSearch } from '../person-search.js';
import { factorOf } from './tangent-step.js';

/** The bracket of λ grows by this factor, at most this many times. */
const FACTOR = 8;
const DOUBLINGS = 60;
const HALVINGS = 50;
/** The relative tolerance of λ. */
const CLOSE = 1e-12;

export class LinearStep {
  /** For each feature, whether the feature may differ from the row. */
  private readonly open: Uint8Array;
  private readonly low: Float64Array;
  private readonly high: Float64Array;
  private readonly under: Float64Array;
  private readonly over: Float64Array;
  private readonly metric: MetricStep | null;
  private slope: Float64Array = new Float64Array();
  private at: Float64Array = new Float64Array();
  private lambda = 1;
  /** A buffer for the multipliers at which features jump. Null: features also move between jumps. */
  private readonly jumps: Float64Array | null;

  constructor(private readonly search: PersonSearch) {
    const { space, cost } = search.problem;
    this.open = new Uint8Array(space.features.length).fill(1);
    const columns = () => new Float64Array(space.columns);
    [this.low, this.high, this.under, this.over] = [columns(), columns(), columns(), columns()];
    this.metric = cost.metric ? new MetricStep(search) : null;
    this.jumps = cost.norm === 'l1' || cost.norm === 'l0' ? columns() : null;
  }

  /** The cheapest point with a gain of `need` over the point `at`. Valid until the next call. `closed` is a feature that keeps its value. */
  solve(at: Float64Array, slope: Float64Array, need: number, radius: number, closed?: Feature): Float64Array {
    this.at = at;
    this.slope = slope;
    this.metric?.turn(slope);
    this.open.fill(1);
    if (closed) this.open[closed.index] = 0;
    this.setBox(radius);
    const found = this.withinBox(need);
    const { maxChanges } = this.search.problem;
    const moved = this.search.free.filter((feature) => hasMoved(feature, this.search.domain.origin, found));
    if (moved.length <= maxChanges) return found;
    this.closeAllBut(moved, maxChanges, found);
    return this.withinBox(need);
  }

  private setBox(radius: number): void {
    const { domain, scale, numbers } = this.search;
    for (const c of numbers) {
      this.low[c] = Math.max(domain.lower[c], this.at[c] - radius * scale[c]);
      this.high[c] = Math.min(domain.upper[c], this.at[c] + radius * scale[c]);
    }
  }

  /** Under a cap on changes, only the features whose moves gain most may change. */
  private closeAllBut(moved: readonly Feature[], most: number, x: Float64Array): void {
    const gain = ({ column, width }: Feature) => {
      let sum = 0;
      for (let c = column; c < column + width; c++) sum += this.slope[c] * (x[c] - this.search.domain.origin[c]);
      return sum;
    };
    const gains = new Map(moved.map((feature) => [feature, gain(feature)]));
    const kept = [...moved].sort((a, b) => gains.get(b)! - gains.get(a)!).slice(0, most);
    this.open.fill(0);
    for (const { index } of kept) this.open[index] = 1;
  }

  private withinBox(need: number): Float64Array {
    if (this.gain(this.fill(0, this.under)) >= need) return this.under;
    const [low, high] = this.jumps ? this.jumpAcross(need) : this.crossing(need);
    if (high === Infinity) return this.over;
    this.lambda = high;
    this.fill(low, this.under);
    this.fill(high, this.over);
    return this.join(need);
  }

  /** The multipliers just below and just above the jump of v(λ) across `need`, for costs under which features only jump. */
  private jumpAcross(need: number): [number, number] {
    const count = this.listJumps(this.jumps!);
    const sorted = this.jumps!.subarray(0, count).sort();
    let [below, above] = [-1, count];
    while (above - below > 1) {
      const middle = (below + above) >> 1;
      if (this.gain(this.fill(sorted[middle] * (1 + CLOSE), this.over)) >= need) above = middle;
      else below = middle;
    }
    if (above < count) return [sorted[above] * (1 - CLOSE), sorted[above] * (1 + CLOSE)];
    this.fill(count ? 2 * sorted[count - 1] : 1, this.over);
    return [0, Infinity];
  }

  /** Collects the multipliers at which features jump: weight divided by gain. Returns their number. */
  private listJumps(out: Float64Array): number {
    const { free, problem, domain } = this.search;
    let count = 0;
    for (const feature of free) {
      const { column, width, kind, index } = feature;
      const weight = problem.cost.weight[index];
      const present = kind === 'choice' ? this.gainOfPresent(feature) : 0;
      for (let c = column; c < column + width; c++) {
        let gain = Math.abs(this.slope[c]);
        if (kind === 'choice') gain = this.slope[c] - present;
        else if (problem.cost.norm === 'l0')
          gain *= Math.abs((this.slope[c] > 0 ? this.high[c] : this.low[c]) - domain.origin[c]);
        if (gain > 0 && weight > 0) out[count++] = weight / gain;
      }
    }
    return count;
  }

  /** Multipliers below and above the root of gain(λ) = `need`, by regula falsi (Illinois). */
  private crossing(need: number): [number, number] {
    let [low, high] = this.bracket(need);
    if (high === Infinity) return [low, high];
    let fLow = this.gain(this.fill(low, this.over)) - need;
    let fHigh = this.gain(this.fill(high, this.over)) - need;
    for (let k = 0, side = 0; k < HALVINGS && high - low > CLOSE * high && fHigh > CLOSE * Math.abs(need); k++) {
      const share = fLow / (fLow - fHigh);
      const middle = low + Math.min(0.99, Math.max(0.01, share)) * (high - low);
      const value = this.gain(this.fill(middle, this.over)) - need;
      if (value >= 0) {
        [high, fHigh] = [middle, value];
        if (side === 1) fLow /= 2;
        side = 1;
      } else {
        [low, fLow] = [middle, value];
        if (side === -1) fHigh /= 2;
        side = -1;
      }
    }
    return [low, high];
  }

  /** A bracket of the root, starting from the last multiplier. Infinity: no point of the box has this gain. */
  private bracket(need: number): [number, number] {
    let at = this.lambda;
    const isAbove = this.gain(this.fill(at, this.over)) >= need;
    for (let k = 0; k < DOUBLINGS; k++) {
      const next = isAbove ? at / FACTOR : at * FACTOR;
      const gain = this.gain(this.fill(next, this.over));
      if (gain >= need !== isAbove) return isAbove ? [next, at] : [at, next];
      at = next;
    }
    return isAbove ? [0, at] : [at, Infinity];
  }

  private gain(x: Float64Array): number {
    const { free } = this.search;
    let sum = 0;
    for (const { column, width } of free)
      for (let c = column; c < column + width; c++) sum += this.slope[c] * (x[c] - this.at[c]);
    return sum;
  }

  /** Moves features from the lower to the upper point one by one, until the gain suffices. */
  private join(need: number): Float64Array {
    const { under, over, slope } = this;
    let gain = this.gain(under);
    for (const { kind, column, width } of this.search.free) {
      let more = 0;
      for (let c = column; c < column + width; c++) more += slope[c] * (over[c] - under[c]);
      if (!(more > 0)) continue;
      const share = kind === 'choice' ? 1 : Math.min(1, (need - gain) / more);
      for (let c = column; c < column + width; c++)
        under[c] = share === 1 ? over[c] : under[c] + share * (over[c] - under[c]);
      gain += share * more;
      if (gain >= need) break;
    }
    return under;
  }

  /** v(λ) */
  private fill(lambda: number, out: Float64Array): Float64Array {
    const { free, home } = this.search;
    out.set(home);
    this.metric?.fill(lambda, out);
    for (const feature of free) {
      if (!this.open[feature.index]) continue;
      if (feature.kind === 'choice') this.choose(feature, lambda, out);
      else out[feature.column] = this.numberAt(feature, lambda, out[feature.column]);
    }
    return out;
  }

  private numberAt(feature: Feature, lambda: number, wanted: number): number {
    const { cost } = this.search.problem;
    const { column: c, index } = feature;
    const here = this.search.domain.origin[c];
    const pull = lambda * this.slope[c];
    const weight = cost.weight[index];
    const stand = this.clipped(c, here);
    const end = pull > 0 ? this.high[c] : this.low[c];
    switch (cost.norm) {
      case 'mahalanobis':
        return this.clipped(c, wanted);
      case 'l2':
        return pull === 0 ? stand : this.clipped(c, here + pull / (2 * weight));
      case 'l1':
        return Math.abs(pull) > weight ? end : stand;
      case 'l0':
        return stand !== here || pull * (end - here) > weight ? end : here;
      default:
        return pull === 0 ? stand : this.bestBend(feature, pull, stand, end);
    }
  }

  private clipped(c: number, value: number): number {
    return Math.min(this.high[c], Math.max(this.low[c], value));
  }

  /** The percentile cost is piecewise linear, so the minimum lies at a bend or at an end. */
  private bestBend(feature: Feature, pull: number, stand: number, end: number): number {
    const { cost } = this.search.problem;
    const here = this.search.domain.origin[feature.column];
    let best = stand;
    let least = changeCost(cost, feature, here, stand) - pull * (stand - here);
    const consider = (value: number) => {
      const merit = changeCost(cost, feature, here, value) - pull * (value - here);
      if (merit < least) [best, least] = [value, merit];
    };
    for (const point of cost.curves[feature.index]?.points ?? [])
      if ((point - stand) * (end - point) > 0) consider(point);
    consider(end);
    return best;
  }

  private choose(feature: Feature, lambda: number, out: Float64Array): void {
    const { column, width, index } = feature;
    const { domain, problem } = this.search;
    const stands = mayStand(domain, feature);
    let best = -1;
    let most = stands ? this.gainOfPresent(feature) * lambda : Number.NEGATIVE_INFINITY;
    for (let c = column; c < column + width; c++) {
      if (!(domain.upper[c] > 0) || domain.origin[c] === 1) continue;
      const merit = lambda * this.slope[c] - problem.cost.weight[index];
      if (merit > most) [best, most] = [c, merit];
    }
    if (best < 0 && stands) for (let c = column; c < column + width; c++) out[c] = domain.origin[c];
    else out.fill(0, column, column + width)[best] = 1;
  }

  private gainOfPresent({ column, width }: Feature): number {
    let gain = 0;
    for (let c = column; c < column + width; c++) gain += this.slope[c] * this.search.domain.origin[c];
    return gain;
  }
}

/** x + λ/2 M⁻¹ g over the numbers that may change, by a Cholesky factor of their block of M. */
class MetricStep {
  private readonly factor: Float64Array | null;
  private readonly direction: Float64Array;

  constructor(private readonly search: PersonSearch) {
    this.factor = factorOf(search);
    this.direction = new Float64Array(search.numbers.length);
  }

  /** Prepares another g. A block without a Cholesky factor in doubles is replaced by its diagonal. */
  turn(slope: Float64Array): void {
    const { numbers, scale } = this.search;
    const { direction, factor } = this;
    for (let i = 0; i < direction.length; i++) direction[i] = slope[numbers[i]] * (factor ? 1 : scale[numbers[i]] ** 2);
    if (!factor) return;
    forward(factor, direction.length, direction);
    backward(factor, direction.length, direction);
  }

  fill(lambda: number, out: Float64Array): void {
    const { numbers, domain } = this.search;
    for (let i = 0; i < numbers.length; i++)
      out[numbers[i]] = domain.origin[numbers[i]] + 0.5 * lambda * this.direction[i];
  }
}
