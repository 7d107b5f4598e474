/**
 * Answers of quadratic regions without a relaxation, for any cost, lattice, category, cap and link:
 *
 *   min cost(x' - x)   s.t.   q_i(x') <= 0,  rows,  x' a value of the domain        by exact moves along lines (region-lines.ts)
 *
 *   1. few features, one after the other: the cheapest value of each in closed form; if none suffices alone, after the moves that
 *      reduce the violation of the worst constraint most
 *   2. starts: the target's centres, examples that have the target, points away from the rivals' centres, random directions of the
 *      policy's seed, planes of two features. A start outside of the region is replaced by the point where the ray from the row through
 *      the start enters the region, or is moved feature by feature to the least violation of the worst constraint
 *   3. every answer is pulled towards the row, feature by feature, until no feature gets cheaper
 *
 * Features are moved in their own units, so scales do not matter. The model confirms every answer. Nothing is proved.
 */
import { seededRandom } from '../../linalg/random.js';
import { entry } from '../../linalg/symmetric-matrix.js';
import type { DistanceDifference } from '../../models/distance-difference.js';
import { type Feature, gather, spread } from '../../models/features.js';
import { changeCost, evaluateCost } from '../../policy/cost.js';
import { type Domain, isFixed } from '../../policy/domain.js';
import { hasMoved, nearestValue } from '../../policy/values.js';
import { FLOPS_PER_UNIT } from '../../problems/budget.js';
import { atomsOf, type Problem } from '../../problems/problem.js';
import { clip } from '../reductions/domain-tree.js';
import { isAnswer } from '../shared/answer-check.js';
import { BestAnswer } from '../shared/best-answer.js';
import { type Limits, limit, type Outcome, type Prepared, type Solver } from '../solver.js';
import { FeatureMoves } from './feature-moves.js';
import { hasQuadratics, withInsideQuadratics } from './inside-quadratics.js';
import { RegionLines } from './region-lines.js';

const EXAMPLES = 4;
const RAYS = 12;
const FEWER_RAYS = 3;
/** Rays in each plane of two features. */
const ANGLES = 32;
/** The largest number of features moved one after the other, and the width of the beam. */
const FEW = 4;
const BEAM = 6;
const SWEEPS = 6;
/** The depths inside the constraints that are tried, as shares of their terms. Deeper attempts follow where the model does not confirm. */
const DEPTHS = [1e-12, 1e-9, 1e-6];

/** A point outside of the region, its violation of the worst constraint, and the features that may still move. */
interface Step {
  readonly x: Float64Array;
  readonly miss: number;
  readonly left: ReadonlySet<Feature>;
}

/** Work of a line, and of the model's confirmation of a point, apart from the arithmetic of the forms, in units of effort. */
const LINE_WORK = 1;
const CHECK_WORK = 0.5;

export class FeasiblePoint {
  private readonly lines: RegionLines;
  private readonly moves: FeatureMoves;
  private readonly forms: readonly DistanceDifference[];
  private readonly best: BestAnswer;
  private readonly examples: readonly Float64Array[];
  /** Units of effort that one line takes. */
  private readonly lineWork: number;
  /** Units of effort that the confirmation of one point takes. */
  private readonly checkWork: number;
  private readonly spreads: Float64Array;
  private readonly from: Float64Array;
  private readonly to: Float64Array;
  // of the present row:
  private domain!: Domain;
  private limits!: Limits;
  private home: Float64Array = new Float64Array();
  private free: readonly Feature[] = [];

  private readonly problem: Problem;

  constructor(asked: Problem) {
    const problem = withInsideQuadratics(asked);
    this.problem = problem;
    this.lines = new RegionLines(problem);
    this.moves = new FeatureMoves(problem, this.lines);
    this.forms = atomsOf(problem, 'quadratic').map(({ form }) => form);
    this.best = new BestAnswer(problem);
    this.examples = columnsWithTarget(problem);
    const { columns } = problem.space;
    const formWork = (this.forms.length * columns * columns) / FLOPS_PER_UNIT;
    this.lineWork = LINE_WORK + 4 * formWork;
    this.checkWork = CHECK_WORK + 2 * formWork;
    this.spreads = spreadsOf(this.forms[0], columns);
    this.from = new Float64Array(problem.space.features.length);
    this.to = new Float64Array(problem.space.features.length);
  }

  /** The cheapest answer found, valid until the next call. Null: none. */
  find(domain: Domain, limits: Limits): Float64Array | null {
    this.begin(domain, limits);
    this.offer(this.home);
    this.fewFeatures();
    for (const start of this.starts()) {
      if (limits.budget.isSpent || (limits.anyAnswer && this.best.isFound)) break;
      const inside = this.enter(start);
      if (inside) this.pull(inside);
    }
    return this.best.isFound ? this.best.x : null;
  }

  /** The same from one start only: the best answer on the way to the start or near it. */
  findNear(domain: Domain, limits: Limits, start: Float64Array): Float64Array | null {
    this.begin(domain, limits);
    const inside = this.enter(start);
    if (inside) this.pull(inside);
    return this.best.isFound ? this.best.x : null;
  }

  private begin(domain: Domain, limits: Limits): void {
    this.domain = domain;
    this.limits = limits;
    this.home = clip(domain);
    this.free = this.problem.space.features.filter((feature) => !isFixed(domain, feature));
    this.best.begin(domain);
    gather(this.problem.space, domain.origin, this.from);
  }

  private offer(x: Float64Array): boolean {
    const fits = isAnswer(this.problem, this.domain, x);
    if (fits) this.best.offer(x);
    return fits;
  }

  /** The cheapest move of a feature into the region, confirmed by the model. */
  private cheapestMove(feature: Feature, x: Float64Array): Float64Array | undefined {
    if (feature.kind === 'choice') return this.cheapestCategory(feature, x);
    for (const depth of DEPTHS) {
      this.limits.budget.spend(this.lineWork);
      const moved = [...this.moves.inside(this.domain, feature, x, Math.max(depth, this.limits.nudge))];
      const costs = moved.map((to) => this.costOf(to));
      const order = [...moved.keys()].sort((a, b) => costs[a] - costs[b]);
      const found = order.find((k) => isAnswer(this.problem, this.domain, moved[k]));
      if (found !== undefined) return moved[found];
      if (!moved.length) return undefined;
    }
    return undefined;
  }

  /** Categories have no depth. A feature may have hundreds of them: the budget is asked for each. */
  private cheapestCategory(feature: Feature, x: Float64Array): Float64Array | undefined {
    const { budget, nudge } = this.limits;
    const moved = [...this.moves.inside(this.domain, feature, x, nudge)].map((to) => ({ to, cost: this.costOf(to) }));
    const isConfirmed = (to: Float64Array) => {
      budget.spend(this.checkWork);
      return isAnswer(this.problem, this.domain, to);
    };
    const order = moved.sort((a, b) => a.cost - b.cost);
    return order.find(({ to }) => !budget.isSpent && isConfirmed(to))?.to;
  }

  private costOf(x: Float64Array): number {
    const { space, cost } = this.problem;
    gather(space, x, this.to);
    return evaluateCost(cost, space, this.from, this.to);
  }

  /** Beam search from the row: every feature that suffices alone, else after the moves that help most, and repeatedly. */
  private fewFeatures(): void {
    let beam: Step[] = [{ x: this.home, miss: this.lines.miss(this.home), left: new Set(this.free) }];
    for (let k = 0; k < Math.min(FEW, this.problem.maxChanges) && beam.length; k++) {
      const answers = beam.flatMap(({ x, left }) =>
        [...left].flatMap((feature) => (this.limits.budget.isSpent ? [] : (this.cheapestMove(feature, x) ?? []))),
      );
      for (const answer of answers) this.pull(answer);
      if (answers.length || this.limits.budget.isSpent) return;
      const steps = beam.flatMap((step) => [...this.helpful(step)]);
      beam = steps.sort((a, b) => a.miss - b.miss).slice(0, BEAM);
    }
  }

  /** The moves of one feature that reduce the violation of the worst constraint. */
  private *helpful({ x, miss, left }: Step): Generator<Step> {
    for (const feature of left) {
      for (const to of this.moves.turning(this.domain, feature, x)) {
        if (this.limits.budget.isSpent) return;
        this.limits.budget.spend(feature.kind === 'choice' ? this.checkWork : this.lineWork);
        const after = this.lines.miss(to);
        if (after < miss) yield { x: to, miss: after, left: new Set([...left].filter((other) => other !== feature)) };
      }
    }
  }

  /** An answer at the start, on the ray from home through the start, or near the start. */
  private enter(start: Float64Array): Float64Array | undefined {
    const placed = this.place(start);
    if (this.offer(placed)) return placed;
    const ray = start.map((value, c) => value - this.home[c]);
    for (const depth of DEPTHS) {
      this.limits.budget.spend(this.lineWork);
      for (const { low, high } of this.lines.spans(this.home, ray, Math.max(depth, this.limits.nudge))) {
        if (!(high > 0)) continue;
        const t = Math.max(0, low);
        const entered = this.place(this.home.map((value, c) => value + t * ray[c]));
        if (this.offer(entered)) return entered;
      }
    }
    return this.repair(placed);
  }

  /** Moves feature by feature until the worst constraint is met or no move helps. */
  private repair(start: Float64Array): Float64Array | undefined {
    const left = new Set(this.free);
    let step: Step = { x: start, miss: this.lines.miss(start), left };
    for (let k = 0; k < SWEEPS * left.size && !this.limits.budget.isSpent; k++) {
      const next = [...this.helpful(step)].reduce((a, b) => (b.miss < a.miss ? b : a), step);
      if (next === step) return undefined;
      step = { ...next, left };
      if (step.miss > 0) continue;
      if (this.offer(step.x)) return step.x;
      for (const feature of left) {
        const inside = this.cheapestMove(feature, step.x);
        if (inside) return inside;
      }
    }
    return undefined;
  }

  /** Puts every feature on the nearest permitted value, and every category on its largest column. */
  private place(x: Float64Array): Float64Array {
    const { space } = this.problem;
    const placed = this.home.slice();
    for (const feature of this.free) {
      const { kind, column, width } = feature;
      if (kind !== 'choice') placed[column] = nearestValue(this.domain, feature, x[column]);
      else {
        const columns = Array.from({ length: width }, (_, k) => k).filter((k) => this.domain.upper[column + k] > 0);
        const most = columns.reduce((a, b) => (x[column + b] > x[column + a] ? b : a), columns[0]);
        placed.fill(0, column, column + space.features[feature.index].width)[column + most] = 1;
      }
    }
    return placed;
  }

  /** Pulls features towards the row, the dearest first, while one gets cheaper. */
  private pull(start: Float64Array): void {
    let x = start;
    let cost = this.costOf(x);
    this.best.offer(x, cost);
    for (let sweep = 0, moved = true; moved && sweep < SWEEPS; sweep++) {
      moved = false;
      for (const feature of this.dearestFirst(x)) {
        if (this.limits.budget.isSpent) return;
        const next = this.cheapestMove(feature, x);
        const nextCost = next ? this.costOf(next) : Infinity;
        if (!next || !(nextCost < cost)) continue;
        [x, cost, moved] = [next, nextCost, true];
        this.best.offer(x, cost);
      }
    }
  }

  private dearestFirst(x: Float64Array): Feature[] {
    const { space, cost } = this.problem;
    const values = new Float64Array(space.features.length);
    gather(space, x, values);
    const price = (feature: Feature) => changeCost(cost, feature, this.from[feature.index], values[feature.index]);
    const moved = this.free.filter((feature) => cost.metric !== null || hasMoved(feature, this.domain.origin, x));
    return moved.sort((a, b) => price(b) - price(a));
  }

  private *starts(): Generator<Float64Array> {
    for (const { near, map } of distinct(this.forms, 'near')) {
      const centre = columnsOf(near.at, map);
      if (centre) yield centre;
    }
    yield* this.nearestExamples();
    for (const { far, map } of distinct(this.forms, 'far')) {
      const rival = columnsOf(far.at, map);
      if (rival) yield this.home.map((value, c) => value + (value - rival[c]));
    }
    yield* this.randomRays();
    if (!this.best.isFound) yield* this.pairRays();
  }

  private nearestExamples(): Float64Array[] {
    const costs = this.examples.map((columns) => this.costOf(columns));
    const order = [...costs.keys()].sort((a, b) => costs[a] - costs[b]);
    return order.slice(0, EXAMPLES).map((k) => this.examples[k]);
  }

  /** Random rays from home, in the units of the target's own spread. */
  private *randomRays(): Generator<Float64Array> {
    const random = seededRandom(this.limits.seed + 1);
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    for (let k = 0; k < (this.best.isFound ? FEWER_RAYS : RAYS); k++)
      yield this.home.map((value, c) => value + this.spreads[c] * normal());
  }

  /** Rays from home in planes of two numbers: a distant region may be narrow, and answers may have to change few features. */
  private *pairRays(): Generator<Float64Array> {
    const numbers = this.free.filter(({ kind }) => kind !== 'choice').map(({ column }) => column);
    for (const [i, first] of numbers.entries()) {
      for (const second of numbers.slice(0, i)) {
        for (let k = 0; k < ANGLES; k++) {
          const angle = ((k + 0.5) / ANGLES) * 2 * Math.PI;
          const start = this.home.slice();
          start[first] += this.spreads[first] * Math.cos(angle);
          start[second] += this.spreads[second] * Math.sin(angle);
          yield start;
        }
      }
    }
  }
}

function columnsWithTarget({ space, samples, holds }: Problem): Float64Array[] {
  return samples.flatMap((row) => {
    const columns = new Float64Array(space.columns);
    spread(space, row, columns);
    return !row.some(Number.isNaN) && holds(columns) ? [columns] : [];
  });
}

/** One quadratic for each centre on a side. */
function distinct(forms: readonly DistanceDifference[], side: 'near' | 'far'): DistanceDifference[] {
  return [...new Map(forms.map((form) => [form[side], form])).values()];
}

/** A centre in columns, if preprocessing is absent or a scaling. */
function columnsOf(at: Float64Array, map: DistanceDifference['map']): Float64Array | undefined {
  if (!map) return at.slice();
  return map.diagonal ? at.map((value, c) => (value - map.offset[c]) / map.diagonal![c]) : undefined;
}

/** The length of a column's move for one unit of the target's own distance. */
function spreadsOf({ near, map }: DistanceDifference, columns: number): Float64Array {
  return Float64Array.from({ length: columns }, (_, c) => {
    const scale = map?.diagonal ? map.diagonal[c] ** 2 : 1;
    const curvature = c < near.matrix.size ? entry(near.matrix, c, c) * scale : 0;
    return curvature > 0 ? 1 / Math.sqrt(curvature) : 1;
  });
}

class PreparedProbe implements Prepared {
  private readonly finder: FeasiblePoint;

  constructor(problem: Problem) {
    this.finder = new FeasiblePoint(problem);
  }

  solve(domain: Domain, limits: Limits): Outcome {
    return limit(this.finder.find(domain, limits), Number.NEGATIVE_INFINITY);
  }
}

export const feasiblePoint: Solver = {
  name: 'feasible-point',
  accepts: (problem) => (hasQuadratics(problem) ? 'heuristic' : 'no'),
  prepare: (problem) => new PreparedProbe(problem),
};
