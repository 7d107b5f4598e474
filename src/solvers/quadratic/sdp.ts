/**
 * Several quadratics, or quadratics and bounds, under L2 or Mahalanobis cost: the semidefinite relaxation (survey, 7.9.2;
 * shor.ts) by an interior-point method. It is never weaker than the Lagrangian dual of quadratic-dual.ts, stronger where bounds or
 * rows matter, and proves most empty regions empty.
 *
 * The answer is y of the relaxation. Where Y does not have rank one, the answer is the first point of the region on the line through y
 * along the main axis of U - yyᵀ (in the hard case: an optimum), moved inside and improved by a descent. The problem is solved when an
 * answer meets the bound. Otherwise its cost and products of bounds tighten the relaxation, for a few rounds.
 *
 * Limits: O(d³) per quadratic and iteration, up to 64 free columns. A remaining gap is a gap of the relaxation. It occurs mostly with few
 * features, many quadratics and no bounds, where spatial.ts works best.
 */
import type { Domain } from '../../policy/domain.js';
import type { FeatureRule } from '../../policy/rules.js';
import { onlyAtoms, type Problem } from '../../problems/problem.js';
import {
  INFEASIBLE,
  isBeyond,
  type Limits,
  limit,
  type Outcome,
  type Prepared,
  type Solver,
  solved,
} from '../solver.js';
import { PreparedCcp } from './ccp.js';
import { type DescentProblem, descend, FINE, restore, valueAt } from './ccp-descent.js';
import { hasFewQuadratics, standing } from './quadratic-view.js';
import { decompose } from './secular.js';
import { boxIntervals, leastDistance, type Relaxed, rowIntervals, Shor } from './shor.js';
import { CLOSED } from './spatial-search.js';

function accepts(problem: Problem): 'no' | 'heuristic' {
  const { traits, rules } = problem;
  const quadratics = onlyAtoms(problem, 'quadratic').length;
  const squared = traits.norm === 'l2' || traits.norm === 'mahalanobis';
  if (!hasFewQuadratics(problem) || !squared || traits.discrete || traits.capped || traits.disjunctive) return 'no';
  return quadratics > 1 || traits.rows > 0 || rules.some(isBounded) ? 'heuristic' : 'no';
}

function isBounded({ never, mayDecrease, mayIncrease, min, max, maxDecrease, maxIncrease }: FeatureRule): boolean {
  const oneWay = !mayDecrease || !mayIncrease;
  return !never && (oneWay || [min, max, maxDecrease, maxIncrease].some(Number.isFinite));
}

/** With more free columns the factorisations take too long. */
const MAX_COLUMNS = 64;
const ROUNDS = 5;
/** A round that raises the bound by less than this share of the cost is the last. */
const PROGRESS = 1e-3;
/** The share of the bound that is given up for the rounding of rows and bounds. */
const BOUND_SHARE = 1e-9;
/** A main axis shorter than this, relative to y, is rounding noise. */
const NO_AXIS = 1e-6;
/** The depth inside the quadratics for answers, as a share of c: far above rounding, far below a gap. */
const DEEPER = 1e-9;
/** The distance beyond the edge of the region to which a ray is followed. */
const INSIDE = 1e-9;

interface ScaledPoint {
  readonly y: Float64Array;
  readonly cost: number;
}

class PreparedSdp implements Prepared {
  private readonly local: PreparedCcp;
  private readonly x: Float64Array;

  constructor(problem: Problem) {
    this.local = new PreparedCcp(problem);
    this.x = new Float64Array(problem.space.columns);
  }

  solve(domain: Domain, limits: Limits): Outcome {
    const { view } = this.local;
    const frame = view.frame(domain);
    const d = frame.free.length;
    if (d === 0) return standing(view.problem, domain);
    if (d > MAX_COLUMNS) return limit(null, 0);
    const { rows, lo, hi } = view.outerBounds(frame, domain);
    const quadratics = view.underestimates(frame, domain);
    const intervals = [...boxIntervals(lo, hi), ...rowIntervals(rows)];
    const distance = leastDistance(quadratics, intervals);
    if (distance === Infinity) return INFEASIBLE;
    const descent = this.local.descent(frame, domain, limits);
    const isEnough = (best: ScaledPoint | undefined, proved: number) =>
      isBeyond(proved * frame.share, { ...limits, cutoff: Math.min(limits.cutoff, best?.cost ?? Infinity) });
    const shor = () => new Shor(distance, quadratics, intervals, limits.budget);
    const { answer, bound } = distance > 0 ? search(shor(), descent, isEnough) : atOrigin(d, descent);
    if (bound === Infinity) return INFEASIBLE;
    const proved = bound * frame.share;
    if (!answer) return limit(null, proved);
    view.toColumns(frame, answer.y, domain, this.x);
    return meets(answer, bound) ? solved(this.x, proved) : limit(this.x, proved);
  }
}

interface Relaxation {
  readonly answer: ScaledPoint | undefined;
  readonly bound: number;
}

/** y = 0 lies in the region or on its edge. */
const atOrigin = (d: number, descent: DescentProblem): Relaxation => ({
  answer: new Region(descent, 1).cheapest([new Float64Array(d)], 0),
  bound: 0,
});

/** Relaxes, finds answers near the relaxed point and tightens the relaxation, until answer and bound meet or the gap is small enough. */
function search(
  shor: Shor,
  descent: DescentProblem,
  isEnough: (answer: ScaledPoint | undefined, bound: number) => boolean,
): Relaxation {
  let answer: ScaledPoint | undefined;
  let bound = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const relaxed = shor.solve();
    const before = bound;
    bound = Math.max(bound, Math.min(relaxed.bound * (1 - BOUND_SHARE), answer?.cost ?? Infinity));
    if (relaxed.status === 'infeasible' || (answer && meets(answer, bound)) || descent.budget.isSpent) break;
    if (isEnough(answer, bound)) break;
    answer = new Region(descent, shor.size).cheapest(candidates(relaxed, descent), bound, answer);
    if (answer && (meets(answer, bound) || isEnough(answer, bound))) break;
    if (round > 0 && bound - before <= PROGRESS * (answer?.cost ?? bound)) break;
    if (answer) shor.cutOff(answer.cost);
    if (!shor.separate() && (round > 0 || !answer)) break;
  }
  return { answer, bound };
}

const meets = ({ cost }: ScaledPoint, bound: number) => bound >= cost * (1 - CLOSED);

/** The region in ŷ = y/σ, slightly narrowed. Its size is 1, so that the tolerances of the descent are small. */
class Region {
  private readonly problem: DescentProblem;

  constructor(
    descent: DescentProblem,
    private readonly size: number,
  ) {
    const times = (v: Float64Array, factor: number) => v.map((value) => factor * value);
    this.problem = {
      ...descent,
      quadratics: descent.quadratics.map(({ N, F, b, c, depth }) => ({
        N: times(N, size * size),
        F: times(F, size * size),
        b: times(b, size),
        c,
        depth: Math.max(depth, DEEPER * Math.abs(c)),
      })),
      rows: descent.rows.map(({ a, upper }) => ({ a: times(a, size), upper })),
      lo: times(descent.lo, 1 / size),
      hi: times(descent.hi, 1 / size),
    };
  }

  /** The best of a known answer and the answers from the starts. The search stops when an answer meets the bound. */
  cheapest(starts: Iterable<Float64Array>, bound: number, known?: ScaledPoint): ScaledPoint | undefined {
    let best = known;
    for (const start of starts) {
      const found = this.descend(start);
      if (found && found.cost < (best?.cost ?? Infinity)) best = found;
      if (this.problem.budget.isSpent || (best && meets(best, bound))) break;
    }
    return best;
  }

  private descend(start: Float64Array): ScaledPoint | undefined {
    const inside = restore(
      this.problem,
      start.map((value) => value / this.size),
    );
    if (!inside) return undefined;
    const { y, cost } = descend(this.problem, inside, FINE);
    return { y: y.map((value) => this.size * value), cost: this.size * this.size * cost };
  }
}

/** y, then the points where the rays from y along ± the main axis of U - yyᵀ enter the region, or the ends of the axis. */
function* candidates({ y, spread }: Relaxed, descent: DescentProblem): Generator<Float64Array> {
  yield y;
  const d = y.length;
  const { values, vectors } = decompose(spread, d);
  const main = values.indexOf(Math.max(...values));
  const length = Math.sqrt(Math.max(0, values[main]));
  if (length <= NO_AXIS * Math.hypot(...y)) return;
  for (const sign of [length, -length]) {
    const axis = vectors.slice(main * d, (main + 1) * d).map((value) => sign * value);
    const t = entry(descent, y, axis);
    yield y.map((value, i) => value + t * axis[i]);
  }
}

/** The first t > 0 at which y + t·axis meets all quadratics, each a parabola in t; 1 when no t does. */
function entry({ quadratics }: DescentProblem, y: Float64Array, axis: Float64Array): number {
  const along = (t: number) => y.map((value, i) => value + t * axis[i]);
  const parabolas = quadratics.map((q): Parabola => {
    const [before, here, after] = [-1, 0, 1].map((t) => valueAt(q, along(t)));
    return { bend: (before + after) / 2 - here, slope: (after - before) / 2, here };
  });
  const holds = (t: number) => parabolas.every(({ bend, slope, here }) => (bend * t + slope) * t + here <= 0);
  const entries = parabolas
    .flatMap(rootsOf)
    .map((t) => t * (1 + INSIDE))
    .filter((t) => t > 0 && holds(t));
  return entries.length ? Math.min(...entries) : 1;
}

interface Parabola {
  readonly bend: number;
  readonly slope: number;
  readonly here: number;
}

/** The second root follows from the product of both, so a straight line also has its one root. */
function rootsOf({ bend, slope, here }: Parabola): number[] {
  const root = Math.sqrt(slope * slope - 4 * bend * here);
  const sum = -0.5 * (slope + (slope < 0 ? -root : root));
  return [sum / bend, here / sum];
}

export const sdp: Solver = { name: 'sdp', accepts, prepare: (problem) => new PreparedSdp(problem) };
