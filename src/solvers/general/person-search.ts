/**
 * What every general optimiser knows of one person:
 *
 *   min cost(x' - x)   s.t.   x' a value of the domain that keeps the policy,   the model holds at x'
 *
 * The model is known by its word and its margin at points. Points are placed in the domain before the model is asked, therefore no
 * search leaves the policy. The cheapest answer is kept. A search asks about points in batches: a model that is scored elsewhere
 * answers a batch in one request.
 */
import { seededRandom } from '../../linalg/random.js';
import { type Feature, spread } from '../../models/features.js';
import { cloneDomain, type Domain, isFixed, mayStand } from '../../policy/domain.js';
import { hasMoved, nearestValue } from '../../policy/values.js';
import { FLOPS_PER_UNIT } from '../../problems/budget.js';
import type { Problem } from '../../problems/problem.js';
import { clip } from '../reductions/domain-tree.js';
import { BestAnswer } from '../shared/best-answer.js';
import { Clearance } from '../shared/clearance.js';
import { modelFlops } from '../shared/model-flops.js';
import { type Limits, limit, type Outcome, type ScoreBatch } from '../solver.js';
import { PolicyRepair } from './policy-repair.js';

/** What a search does between its questions. */
export type Asked<T> = Generator<ScoreBatch, T, void>;

/** What the model says of a point. */
export interface Look {
  readonly x: Float64Array;
  /** As the model measures it: a point with a margin above 0 may still be no answer, where it is not plausible. */
  readonly margin: number;
  readonly isAnswer: boolean;
}

const noScore = (x: Float64Array): Look => ({ x, margin: Number.NEGATIVE_INFINITY, isAnswer: false });

/** Operations for one look at a point besides the model's own, and for each column. */
const FLOPS_PER_LOOK = 1500;
const FLOPS_PER_COLUMN = 30;
/** A question about ties takes as long as so many looks. */
const TIES_LOOKS = 2;

export class PersonSearch {
  readonly domain: Domain;
  /** The point of the domain nearest to the row. */
  readonly home: Float64Array;
  /** Whether home keeps the rows of the policy. */
  readonly isHomeKept: boolean;
  /** Features that may change. */
  readonly free: readonly Feature[];
  /** Columns of the numbers among them. */
  readonly numbers: readonly number[];
  readonly best: BestAnswer;
  /** What the model takes for an answer by a tie, for want of a better one. */
  private readonly doubtful: BestAnswer;
  private readonly clearance: Clearance;
  readonly random: () => number;
  /** Of one look at the model, in units of effort. */
  readonly work: number;
  /** Of a term of the cost at a point. */
  private readonly termWork: number;
  private readonly repair: PolicyRepair;

  constructor(
    readonly problem: Problem,
    domain: Domain,
    readonly limits: Limits,
    /** By column: a move of this length costs about 1. */
    readonly scale: Float64Array,
  ) {
    const { space } = problem;
    this.domain = cloneDomain(domain);
    this.free = space.features.filter(
      (feature) => !Number.isNaN(domain.origin[feature.column]) && !isFixed(domain, feature),
    );
    this.numbers = this.free.filter(({ kind }) => kind !== 'choice').map(({ column }) => column);
    this.home = this.valuesNear(clip(this.domain));
    this.repair = new PolicyRepair(problem, this.domain, scale, this.numbers);
    this.isHomeKept = this.repair.keeps(this.home);
    this.best = new BestAnswer(problem);
    this.doubtful = new BestAnswer(problem);
    for (const kept of [this.best, this.doubtful]) kept.begin(this.domain);
    this.clearance = new Clearance(problem, this.domain, (x) => {
      limits.budget.spend(this.work);
      return problem.holds(x);
    });
    this.random = seededRandom(limits.seed + 1);
    this.termWork = (problem.term?.flops ?? 0) / FLOPS_PER_UNIT;
    this.work = (FLOPS_PER_LOOK + FLOPS_PER_COLUMN * space.columns + modelFlops(problem)) / FLOPS_PER_UNIT;
  }

  /** Nothing more is to be done: the work is spent, or any answer is enough. */
  get isOver(): boolean {
    return this.limits.budget.isSpent || (this.limits.anyAnswer && this.best.isFound);
  }

  get outcome(): Outcome {
    const { best, doubtful, clearance } = this;
    if (!best.isFound && doubtful.isFound) return { ...limit(doubtful.x, Number.NEGATIVE_INFINITY), isDoubtful: true };
    const x = best.isFound ? clearance.awayFromEdge(best.x, (point) => this.place(point)) : null;
    return limit(x, Number.NEGATIVE_INFINITY);
  }

  /** A standard normal number. */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.random())) * Math.cos(2 * Math.PI * this.random());
  }

  /** A point of the domain near any columns, that keeps the policy; null: none was found. */
  place(x: Float64Array): Float64Array | null {
    const placed = this.valuesNear(x);
    this.capChanges(placed, x);
    return this.repair.repair(placed, this.isHomeKept ? this.home : null) ? placed : null;
  }

  /** Values of a row of the training set, as far as the domain has them. */
  placeValues(values: Float64Array): Float64Array | null {
    const columns = new Float64Array(this.problem.space.columns);
    spread(this.problem.space, values, columns);
    for (let c = 0; c < columns.length; c++) if (Number.isNaN(columns[c])) columns[c] = this.home[c];
    return this.place(columns);
  }

  keeps(x: Float64Array): boolean {
    return this.repair.keeps(x);
  }

  costOf(x: Float64Array): number {
    if (this.termWork) this.limits.budget.spend(this.termWork);
    return this.best.costOf(x);
  }

  /** What the model says of points that are placed. The cheapest answer among them is kept. */
  *ask(points: readonly Float64Array[]): Asked<Look[]> {
    if (points.length) yield points;
    return points.map((point) => this.look(point));
  }

  /** The same for one point. */
  *askOne(x: Float64Array): Asked<Look> {
    yield [x];
    return this.look(x);
  }

  /** The same for a point whose scores are there. */
  look(x: Float64Array): Look {
    this.limits.budget.spend(this.work);
    const margin = this.problem.margin(x);
    if (Number.isNaN(margin)) return noScore(x);
    const isAnswer = margin >= 0 && this.keeps(x) && this.problem.holds(x);
    return { x, margin, isAnswer: isAnswer && this.offer(x) };
  }

  /** A point that is cheaper than the best answer becomes the best, unless ties in the model may undo it: then it is no answer. */
  private offer(x: Float64Array): boolean {
    const cost = this.best.costOf(x);
    if (!(cost < this.best.cost)) return true;
    if (this.problem.isClear) this.limits.budget.spend(TIES_LOOKS * this.work);
    const isClear = this.clearance.isClear(x);
    (isClear ? this.best : this.doubtful).offer(x, cost);
    return isClear;
  }

  /** How far a point is from the row in the lengths of costs, all columns together. */
  span(x: Float64Array): number {
    const { origin } = this.domain;
    let sum = 0;
    for (const { column, width } of this.free)
      for (let c = column; c < column + width; c++) sum += Math.abs(x[c] - origin[c]) / this.scale[c];
    return sum;
  }

  private valuesNear(x: Float64Array): Float64Array {
    const placed = this.home?.slice() ?? x.slice();
    for (const feature of this.free) {
      if (feature.kind === 'choice') this.chooseNear(feature, x, placed);
      else placed[feature.column] = nearestValue(this.domain, feature, x[feature.column]);
    }
    return placed;
  }

  /** The present columns where they are meant and may stand, else the open category with the largest column. */
  private chooseNear(feature: Feature, x: Float64Array, placed: Float64Array): void {
    const { column, width } = feature;
    const { origin, upper } = this.domain;
    if (!hasMoved(feature, origin, x) && mayStand(this.domain, feature)) {
      for (let c = column; c < column + width; c++) placed[c] = origin[c];
      return;
    }
    let most = -1;
    for (let c = column; c < column + width; c++) if (upper[c] > 0 && (most < 0 || x[c] > x[most])) most = c;
    placed.fill(0, column, column + width)[most] = 1;
  }

  /** Leaves only as many changes as the policy allows: the longest ones. */
  private capChanges(placed: Float64Array, wanted: Float64Array): void {
    const { maxChanges } = this.problem;
    const { origin } = this.domain;
    if (maxChanges >= this.free.length) return;
    const moved = this.free.filter((feature) => hasMoved(feature, origin, placed));
    if (moved.length <= maxChanges) return;
    const length = ({ kind, column }: Feature) =>
      kind === 'choice' ? 1 : Math.abs(wanted[column] - origin[column]) / this.scale[column];
    const surplus = moved.filter((feature) => mayStand(this.domain, feature)).sort((a, b) => length(a) - length(b));
    for (const feature of surplus.slice(0, moved.length - maxChanges)) this.restore(feature, placed);
  }

  /** Puts a feature back to its present columns. */
  restore({ column, width }: Feature, x: Float64Array): void {
    for (let c = column; c < column + width; c++) x[c] = this.domain.origin[c];
  }
}

/** Of two answers the one that costs less; null stands for none. */
export const cheaper = (search: PersonSearch, a: Look | null, b: Look | null): Look | null =>
  a && !(b && search.costOf(b.x) < search.costOf(a.x)) ? a : b;

export const isSamePoint = (a: Float64Array, b: Float64Array): boolean => a.every((value, c) => Object.is(value, b[c]));
