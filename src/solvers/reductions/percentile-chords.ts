/**
 * Percentile cost on curved regions: branch and bound around a solver of the region under L1.
 *
 *   c_f(v) = w_f |F_f(v) - F_f(x_f)|  >=  s_f |v - x_f|     for v in [l_f, u_f],       s_f the least slope of a chord from x_f
 *
 * c_f is piecewise linear, so a few amounts determine s_f (shared/cost-curve.ts). The problem under L1 with weights s is a relaxation of a
 * part of the domain. The relaxed point is an answer, at its true cost, if the model confirms it. A part is split where a chord is furthest
 * below the cost. The number of parts grows with the features that change and with the points of F.
 */
import type { Feature } from '../../models/features.js';
import { type Cost, changeCost } from '../../policy/cost.js';
import { cloneDomain, type Domain } from '../../policy/domain.js';
import type { Problem } from '../../problems/problem.js';
import { FeasiblePoint } from '../quadratic/feasible-point.js';
import { isAnswer } from '../shared/answer-check.js';
import { BestAnswer } from '../shared/best-answer.js';
import { costCurve, leastChord } from '../shared/cost-curve.js';
import { NodeHeap } from '../shared/node-heap.js';
import {
  exactForParts,
  type Limits,
  limit,
  type Outcome,
  type Prepared,
  type Solver,
  type SolverTable,
} from '../solver.js';
import { isCurved } from './feature-sets.js';

const MAX_PARTS = 2000;
/** Shares of the remaining budget for the first answer and for one part. */
const FIRST_SHARE = 0.2;
const PART_SHARE = 0.3;
/** Work to prepare a solver for a part, in units of effort. */
const PREPARE_WORK = 180;
/** A relative gap up to this size counts as closed. */
const CLOSED = 5e-7;
/** The largest relative rounding error of a slope. */
const ROUNDING = 1e-12;
/** A chord that misses less than this share of the cost is not worth a split. */
const WORTH = 1e-7;

interface Part {
  readonly domain: Domain;
  readonly bound: number;
}

/** The least slope of a chord, and the amount where the chord meets the cost. */
interface Chord {
  readonly slope: number;
  readonly at: number;
}

/** The problem under L1 with the given weights. */
function underL1(problem: Problem, weight: Float64Array): Problem {
  const cost: Cost = { norm: 'l1', weight, curves: problem.cost.curves.map(() => null), metric: null };
  return { ...problem, cost, traits: { ...problem.traits, norm: 'l1' } };
}

class PreparedPercentileChords implements Prepared {
  private readonly solvers: readonly Solver[];
  private readonly finder: FeasiblePoint;
  private readonly best: BestAnswer;
  private closed = Infinity;

  constructor(
    private readonly problem: Problem,
    private readonly table: SolverTable,
  ) {
    this.solvers = l1Solvers(problem, table);
    this.finder = new FeasiblePoint(problem);
    this.best = new BestAnswer(problem);
  }

  solve(domain: Domain, limits: Limits): Outcome {
    const { best } = this;
    best.begin(domain);
    this.closed = Infinity;
    const first = this.finder.find(domain, { ...limits, budget: limits.budget.shareEffort(FIRST_SHARE) });
    if (first) best.offer(first);
    const open = new NodeHeap<Part>();
    open.push({ domain, bound: 0 }, 0);
    for (let visited = 0; open.size; visited++) {
      const bound = open.least();
      if (best.isFound && limits.anyAnswer) return limit(best.x, 0);
      if (this.isClosed(bound, limits)) return this.conclude(bound);
      if (visited > 0 && (visited >= MAX_PARTS || limits.budget.isSpent)) return this.conclude(bound);
      for (const part of this.visit(open.pop()!, limits)) open.push(part, part.bound);
    }
    return this.conclude(Infinity);
  }

  private isClosed(bound: number, { cutoff, gap }: Limits): boolean {
    return bound >= Math.min(this.best.cost, cutoff) * (1 - Math.max(CLOSED, gap));
  }

  private conclude(open: number): Outcome {
    return this.best.conclude(Math.min(open, this.closed));
  }

  /** Offers the point of a part's relaxation. Returns the parts that remain to be searched. */
  private visit(part: Part, limits: Limits): Part[] {
    const chords = this.problem.space.features.map((feature) => this.chordOf(feature, part.domain));
    const outcome = this.relax(chords, part.domain, limits);
    if (outcome.status === 'infeasible') return [];
    const bound = Math.max(part.bound, outcome.lowerBound);
    const x = outcome.x?.slice();
    if (x && isAnswer(this.problem, part.domain, x)) this.best.offer(x);
    const halves = x && !this.isClosed(bound, limits) ? this.split(part.domain, chords, x) : null;
    if (halves) return halves.map((domain) => ({ domain, bound }));
    this.closed = Math.min(this.closed, bound);
    return [];
  }

  private relax(chords: readonly (Chord | null)[], domain: Domain, limits: Limits): Outcome {
    const { weight } = this.problem.cost;
    const slopes = Float64Array.from(chords, (chord, f) => chord?.slope ?? weight[f]);
    const problem = underL1(this.problem, slopes);
    const cutoff = Math.min(this.best.cost, limits.cutoff);
    let best: Outcome = limit(null, Number.NEGATIVE_INFINITY);
    for (const solver of this.solvers) {
      limits.budget.spend(PREPARE_WORK);
      const budget = limits.budget.shareEffort(PART_SHARE);
      const outcome = solver
        .prepare(problem, this.table)
        .solve(domain, { ...limits, budget, cutoff, anyAnswer: false });
      if (outcome.status === 'infeasible' || outcome.status === 'solved') return outcome;
      best = limit(outcome.x ?? best.x, Math.max(best.lowerBound, outcome.lowerBound));
    }
    return best;
  }

  /** Null: a category, whose cost is no slope, or a number that cannot move. */
  private chordOf({ kind, column, index }: Feature, domain: Domain): Chord | null {
    const [low, high, here] = [domain.lower[column], domain.upper[column], domain.origin[column]];
    if (kind === 'choice' || (low === here && high === here)) return null;
    const sides: Chord[] = [];
    const { curves, weight } = this.problem.cost;
    const add = (side: 1 | -1, least: number, most: number) => {
      if (!(most > 0) || !(least <= most)) return;
      const chord = leastChord(costCurve(curves[index], weight[index], here, side), Math.max(0, least), most);
      sides.push({ slope: chord.slope * (1 - ROUNDING), at: here + side * chord.amount });
    };
    add(1, low - here, high - here);
    add(-1, here - high, here - low);
    return sides.reduce((a, b) => (b.slope < a.slope ? b : a));
  }

  /** Splits the domain in two along the feature whose chord is furthest below its cost at x. Null: no chord is far below. */
  private split(domain: Domain, chords: readonly (Chord | null)[], x: Float64Array): Domain[] | null {
    let [widest, most] = [-1, WORTH * Math.min(this.best.cost, 1e300)];
    for (const feature of this.problem.space.features) {
      const chord = chords[feature.index];
      if (!chord) continue;
      const [here, there] = [domain.origin[feature.column], x[feature.column]];
      const missed = changeCost(this.problem.cost, feature, here, there) - chord.slope * Math.abs(there - here);
      if (missed > most) [widest, most] = [feature.index, missed];
    }
    if (widest < 0) return null;
    const { column } = this.problem.space.features[widest];
    const at = cutBetween(domain.lower[column], domain.upper[column], x[column], chords[widest]!.at);
    return at === null
      ? null
      : [this.withEnds(domain, column, 'upper', at), this.withEnds(domain, column, 'lower', at)];
  }

  private withEnds(domain: Domain, column: number, end: 'lower' | 'upper', at: number): Domain {
    const part = cloneDomain(domain);
    part[end][column] = at;
    return part;
  }
}

/** A cut strictly inside the interval: the point itself, else halfway to the amount where the chord meets the cost. */
function cutBetween(low: number, high: number, x: number, met: number): number | null {
  const inside = (v: number) => v > low && v < high;
  return [x, (x + met) / 2, met].find(inside) ?? null;
}

const l1Solvers = (problem: Problem, table: SolverTable): Solver[] =>
  exactForParts(underL1(problem, problem.cost.weight), table);

function accepts(problem: Problem, table: SolverTable): 'no' | 'exact' {
  const fits = problem.traits.norm === 'percentile' && isCurved(problem);
  return fits && l1Solvers(problem, table).length ? 'exact' : 'no';
}

export const percentileChords: Solver = {
  name: 'percentile-chords',
  takesParts: true,
  accepts,
  prepare: (problem, table) => new PreparedPercentileChords(problem, table),
};
