/**
 * Quadratics of any number and kind under L1, L2 or Mahalanobis cost, with rows and bounds: the convex-concave procedure
 * (survey, 7.9.1; ccp-descent.ts) from several starts. The convex subproblems are solved by our own simplex and active
 * set, which give the same answer every time.
 *
 * Starts: the final point of the Lagrangian dual, which also gives the bound; under L1 the same point with only its one or two largest
 * moves; the row itself; the target's centre; and its nearest examples. Newton steps first bring each start into the region.
 */
import { gather, spread } from '../../models/features.js';
import { evaluateCost } from '../../policy/cost.js';
import type { Domain } from '../../policy/domain.js';
import type { Problem } from '../../problems/problem.js';
import { cheapestL1, cheapestL2 } from '../linear/polyhedral.js';
import { isBeyond, type Limits, limit, type Outcome, type Prepared, type Solver } from '../solver.js';
import { COARSE, type DescentProblem, descend, FINE, restore } from './ccp-descent.js';
import { FeasiblePoint } from './feasible-point.js';
import { PreparedDual } from './quadratic-dual.js';
import { type Frame, hasFewQuadratics, QuadraticView, standing } from './quadratic-view.js';

const EXAMPLES = 2;
const NORMS = new Set(['l1', 'l2', 'mahalanobis']);
/** The least depth below zero, relative to the terms, at which the procedure keeps its points. */
const DEPTH = 1e-12;

export class PreparedCcp implements Prepared {
  readonly view: QuadraticView;
  private readonly linear: boolean;
  private readonly dual: PreparedDual;
  private readonly targets: readonly Float64Array[];
  private readonly best: Float64Array;
  private probe: FeasiblePoint | undefined;

  constructor(private readonly problem: Problem) {
    this.linear = problem.cost.norm === 'l1';
    this.view = new QuadraticView(this.linear ? summedCost(problem) : problem);
    this.dual = new PreparedDual(this.linear ? squaredCost(problem) : problem);
    this.targets = samplesWithTarget(problem);
    this.best = new Float64Array(problem.space.columns);
  }

  solve(domain: Domain, limits: Limits): Outcome {
    const frame = this.view.frame(domain);
    if (!frame.free.length) return standing(this.problem, domain);
    const descent = this.descent(frame, domain, limits);
    const relaxed = this.dual.solve(domain, { ...limits, cutoff: this.linear ? limits.cutoff ** 2 : limits.cutoff });
    // ‖y‖₁ >= ‖y‖₂: the root of the squared problem's bound holds for the linear problem.
    const bound = this.linear ? Math.sqrt(Math.max(0, relaxed.lowerBound)) : relaxed.lowerBound;
    if (relaxed.status === 'infeasible') return { ...relaxed };
    if (isBeyond(bound, limits)) return limit(null, bound);
    const isEnough = (cost: number) => isBeyond(bound, { ...limits, cutoff: cost });
    const best = this.bestStart(descent, this.starts(frame, domain, relaxed.x), isEnough);
    if (!best) return this.fromProbe(frame, domain, descent, bound, limits);
    this.view.toColumns(frame, descend(descent, best, FINE).y, domain, this.best);
    return limit(this.best, bound);
  }

  /** No start led into the region: tries exact moves of single features. */
  private fromProbe(frame: Frame, domain: Domain, descent: DescentProblem, bound: number, limits: Limits): Outcome {
    this.probe ??= new FeasiblePoint(this.problem);
    const found = this.probe.find(domain, limits);
    const inside = found && restore(descent, this.view.toScaled(frame, found, domain));
    if (inside) this.view.toColumns(frame, descend(descent, inside, FINE).y, domain, this.best);
    return limit(inside ? this.best : found, bound);
  }

  /** The start from which a rough descent reaches the least cost. */
  private bestStart(
    descent: DescentProblem,
    starts: Iterable<Float64Array>,
    isEnough: (cost: number) => boolean,
  ): Float64Array | undefined {
    let best: { y: Float64Array; cost: number } | undefined;
    for (const start of starts) {
      if (best && (descent.budget.isSpent || isEnough(best.cost))) break;
      const inside = restore(descent, start);
      const reached = inside && descend(descent, inside, COARSE);
      if (reached && !(reached.cost >= (best?.cost ?? Infinity))) best = reached;
    }
    return best?.y;
  }

  /** The cost of a move in y. */
  cost(y: Float64Array): number {
    return this.linear ? sumOfSizes(y) : sumOfSquares(y);
  }

  /** The problem in y, for one person. */
  descent(frame: Frame, domain: Domain, limits: Limits): DescentProblem {
    const nudge = Math.max(limits.nudge, DEPTH);
    const quadratics = this.view.at(frame, domain, 0).map((q, i) => {
      const depth = nudge * this.view.quadratics[i].magnitude(domain.origin);
      return { N: frame.near[i], F: frame.far[i], b: q.b, c: q.c, depth };
    });
    return {
      quadratics,
      ...this.view.bounds(frame, domain, nudge),
      cheapest: this.linear ? cheapestL1 : cheapestL2,
      cost: this.linear ? sumOfSizes : sumOfSquares,
      budget: limits.budget,
    };
  }

  private *starts(frame: Frame, domain: Domain, relaxed: Float64Array | null): Generator<Float64Array> {
    if (relaxed) yield this.view.toScaled(frame, relaxed, domain);
    if (this.linear && relaxed) yield* this.fewer(frame, this.view.toScaled(frame, relaxed, domain));
    yield new Float64Array(frame.free.length);
    const centre = this.centre(domain);
    if (centre) yield this.view.toScaled(frame, clip(centre, domain), domain);
    yield* this.examples(frame, domain);
  }

  /** The relaxed point with only its largest coordinate, and with its two largest: L1 answers change few features. */
  private *fewer(frame: Frame, y: Float64Array): Generator<Float64Array> {
    const order = [...y.keys()].sort((i, j) => Math.abs(y[j]) - Math.abs(y[i]));
    for (const count of [1, 2])
      if (frame.free.length > count) yield y.map((value, i) => (order.indexOf(i) < count ? value : 0));
  }

  private *examples(frame: Frame, domain: Domain): Generator<Float64Array> {
    const { space, cost } = this.problem;
    const from = new Float64Array(space.features.length);
    gather(space, domain.origin, from);
    const nearest = this.targets
      .map((row) => ({ row, cost: evaluateCost(cost, space, from, row) }))
      .sort((a, b) => a.cost - b.cost);
    for (const { row } of nearest.slice(0, EXAMPLES)) {
      const columns = new Float64Array(space.columns);
      spread(space, row, columns);
      yield this.view.toScaled(frame, clip(columns, domain), domain);
    }
  }

  /** The target's own centre in columns, if preprocessing is absent or a scaling. */
  private centre({ origin }: Domain): Float64Array | undefined {
    const { near, map } = this.view.quadratics[0];
    if (!map) return near.at.slice();
    return map.diagonal ? origin.map((_, c) => (near.at[c] - map.offset[c]) / map.diagonal![c]) : undefined;
  }
}

export const sumOfSizes = (y: Float64Array) => y.reduce((sum, value) => sum + Math.abs(value), 0);
export const sumOfSquares = (y: Float64Array) => y.reduce((sum, value) => sum + value * value, 0);

function samplesWithTarget({ space, samples, holds }: Problem): Float64Array[] {
  const columns = new Float64Array(space.columns);
  return samples.filter((row) => {
    spread(space, row, columns);
    return !row.some(Number.isNaN) && holds(columns);
  });
}

function clip(x: Float64Array, { lower, upper }: Domain): Float64Array {
  return x.map((value, c) => Math.min(upper[c], Math.max(lower[c], value)));
}

/** The same problem with squared cost: w|Δ| becomes (wΔ)², and the weight of a category its square. */
export function squaredCost(problem: Problem): Problem {
  const weight = problem.cost.weight.map((value) => value * value);
  return { ...problem, cost: { ...problem.cost, norm: 'l2', weight }, traits: { ...problem.traits, norm: 'l2' } };
}

/** The squared problem whose y has the linear cost as ‖y‖₁: a change of category moves two columns, each for half of the weight. */
function summedCost(problem: Problem): Problem {
  const squared = squaredCost(problem);
  const isChoice = (f: number) => problem.space.features[f].kind === 'choice';
  const weight = squared.cost.weight.map((value, f) => (isChoice(f) ? value / 2 : value));
  return { ...squared, cost: { ...squared.cost, weight } };
}

export function fitsQuadratics(problem: Problem): boolean {
  const { norm, discrete, capped, disjunctive } = problem.traits;
  return hasFewQuadratics(problem) && NORMS.has(norm) && !discrete && !capped && !disjunctive;
}

export const ccp: Solver = {
  name: 'ccp',
  accepts: (problem) => (fitsQuadratics(problem) ? 'heuristic' : 'no'),
  prepare: (problem) => new PreparedCcp(problem),
};
