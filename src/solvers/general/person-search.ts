/**
 * The problem of one person, as all general optimisers see it:
 *
 *   min cost(x' - x)   s.t.   x' a value of the domain that keeps the policy,   the model holds at x'
 *
 * The model is known by its decision and its margin at points. Points are placed in the domain and repaired before the model scores them, so every scored
 * point keeps the policy. The cheapest answer is stored. A search evaluates points in batches: a model that is scored elsewhere answers a batch in
 * one request.
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

/** The steps of a search between two batches. */
export type Asked<T> = Generator<ScoreBatch, T, void>;

/** The evaluation of a point. */
export interface Look {
  readonly x: Float64Array;
  /** The margin of the model. A point with a positive margin can still be no answer, if the point is not plausible. */
  readonly margin: number;
  readonly isAnswer: boolean;
}

const noScore = (x: Float64Array): Look => ({ x, margin: Number.NEGATIVE_INFINITY, isAnswer: false });

/** Operations for one evaluation besides those of the model: a fixed part, and a part for each column. */
const FLOPS_PER_LOOK = 1500;
const FLOPS_PER_COLUMN = 30;
/** A check for ties takes as much work as this many evaluations. */
const TIES_LOOKS = 2;

export class PersonSearch {
  readonly domain: Domain;
  /** The point of the domain nearest to the row. */
  readonly home: Float64Array;
  /** Whether `home` keeps the rows of the policy. */
  readonly isHomeKept: boolean;
  /** The features that may change. */
  readonly free: readonly Feature[];
  /** The columns of the numeric features that may change. */
  readonly numbers: readonly number[];
  readonly best: BestAnswer;
  /** An answer that depends on a tie in the model. Used if there is no other answer. */
  private readonly doubtful: BestAnswer;
  private readonly clearance: Clearance;
  readonly random: () => number;
  /** The effort of one evaluation of the model. */
  readonly work: number;
  /** The effort of one evaluation of the cost's term. */
  private readonly termWork: number;
  private readonly repair: PolicyRepair;

  constructor(
    readonly problem: Problem,
    domain: Domain,
    readonly limits: Limits,
    /** Cost lengths by column: a move of this length costs about 1. */
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

  /** True if the work is spent, or if any answer is enough and there is one. */
  get isOver(): boolean {
    return this.limits.budget.isSpent || (this.limits.anyAnswer && this.best.isFound);
  }

  get outcome(): Outcome {
    const { best, doubtful, clearance } = this;
    if (!best.isFound && doubtful.isFound) return { ...limit(doubtful.x, Number.NEGATIVE_INFINITY), isDoubtful: true };
    const x = best.isFound ? clearance.awayFromEdge(best.x, (point) => this.place(point)) : null;
    return limit(x, Number.NEGATIVE_INFINITY);
  }

  /** A standard normal random number. */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.random())) * Math.cos(2 * Math.PI * this.random());
  }

  /** A point of the domain near given columns that keeps the policy. Null: none was found. */
  place(x: Float64Array): Float64Array | null {
    const placed = this.valuesNear(x);
    this.capChanges(placed, x);
    return this.repair.repair(placed, this.isHomeKept ? this.home : null) ? placed : null;
  }

  /** A row of the training set, with values outside of the domain replaced. */
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

  /** Evaluates placed points, and stores the cheapest answer among them. */
  *ask(points: readonly Float64Array[]): Asked<Look[]> {
    if (points.length) yield points;
    return points.map((point) => this.look(point));
  }

  /** Evaluates one placed point. */
  *askOne(x: Float64Array): Asked<Look> {
    yield [x];
    return this.look(x);
  }

  /** Evaluates a point whose scores are known. */
  look(x: Float64Array): Look {
    this.limits.budget.spend(this.work);
    const margin = this.problem.margin(x);
    if (Number.isNaN(margin)) return noScore(x);
    const isAnswer = margin >= 0 && this.keeps(x) && this.problem.holds(x);
    return { x, margin, isAnswer: isAnswer && this.offer(x) };
  }

  /** Stores an answer that is cheaper than the best answer. An answer that depends on a tie in the model does not count as an answer. */
  private offer(x: Float64Array): boolean {
    const cost = this.best.costOf(x);
    if (!(cost < this.best.cost)) return true;
    if (this.problem.isClear) this.limits.budget.spend(TIES_LOOKS * this.work);
    const isClear = this.clearance.isClear(x);
    (isClear ? this.best : this.doubtful).offer(x, cost);
    return isClear;
  }

  /** The distance of a point from the row in cost lengths, over all columns. */
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

  /** The present category if the columns mean it and the domain allows it, else the allowed category with the largest column. */
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

  /** Keeps the longest changes, as many as the policy allows, and puts the other features back. */
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

  /** Puts a feature back to its present value. */
  restore({ column, width }: Feature, x: Float64Array): void {
    for (let c = column; c < column + width; c++) x[c] = this.domain.origin[c];
  }
}

/** The cheaper of two answers. Null stands for no answer. */
export const cheaper = (search: PersonSearch, a: Look | null, b: Look | null): Look | null =>
  a && !(b && search.costOf(b.x) < search.costOf(a.x)) ? a : b;

export const isSamePoint = (a: Float64Array, b: Float64Array): boolean => a.every((value, c) => Object.is(value, b[c]));
