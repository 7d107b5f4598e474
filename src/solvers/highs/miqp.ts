/**
 * L2 and Mahalanobis costs over linear rows with integers, steps, categories, at most K changes and clauses, by outer approximation (Duran
 * and Grossmann, 1986) over HiGHS: a second opinion below our own branch and bound.
 *
 *   master   min Σ t + Σ prices   s.t. constraints (move-program.ts),  t >= cuts of each square (square-cuts.ts)
 *   step     discrete decisions from the master, the rest by our projection: an answer; cuts at the answer are added
 *
 * The master's optimum is a lower bound. Once the cuts at an answer are added, the master prices its discrete part correctly, so bound and
 * incumbent meet. As in milp.ts the master first works on rows moved outwards, which proves the bound, and some depth inside once the model
 * has refused an answer. Rooms are finite where moves are switched (big-m.ts).
 */
import { gather } from '../../models/features.js';
import { evaluateCost } from '../../policy/cost.js';
import { copyDomain, createDomain, type Domain } from '../../policy/domain.js';
import type { Problem } from '../../problems/problem.js';
import { MoveModel } from '../linear/moves.js';
import { PreparedActiveSet } from '../projection/active-set.js';
import { isAnswer, snapColumns } from '../shared/answer-check.js';
import {
  INFEASIBLE,
  isBeyond,
  type Limits,
  limit,
  numerical,
  type Outcome,
  type Prepared,
  type Solver,
  solved,
} from '../solver.js';
import { BigM } from './big-m.js';
import { highs, type Run, runHighs } from './highs.js';
import { MoveProgram } from './move-program.js';
import { QuadraticCost } from './quadratic-cost.js';
import { SquareCuts } from './square-cuts.js';

function accepts({ traits }: Problem): 'no' | 'exact' {
  return traits.linear && (traits.norm === 'l2' || traits.norm === 'mahalanobis') ? 'exact' : 'no';
}

/** A nudge up to this size asks for the edge of the region itself. A larger nudge means that an answer at the edge was refused. */
const AT_THE_EDGE = 1e-12;
/** The depth inside the scaled rows after an answer at the edge was refused: several times HiGHS's tolerance. */
const DEPTH_FLOOR = 1e-8;
/** The largest relative error of HiGHS's bound. */
const BOUND_SHARE = 1e-7;
/** The relative gap between bound and cost that still counts as proved. */
const PROVED = 5e-7;
/** A cost difference up to this share counts as none. */
const TRIFLE = 1e-9;
const ROUNDS = 300;
/** How often rooms without an answer are enlarged. */
const LEAPS = 2;
/** The positions of the first cuts, as multiples of the projection without lattices, caps and clauses. */
const AROUND = [0.5, 1, 2];

interface Master {
  readonly run: Run;
  readonly program: MoveProgram;
  /** A proved lower bound for every answer within the rooms. */
  readonly bound: number;
}

class PreparedMiqp implements Prepared {
  private readonly model: MoveModel;
  private readonly cost: QuadraticCost;
  private readonly cuts: SquareCuts;
  private readonly reach: BigM;
  /** Projections by chosen alternatives. */
  private readonly projections = new Map<string, Prepared>();
  private readonly fixed: Domain;
  private readonly amounts: Float64Array;
  private readonly from: Float64Array;
  private readonly to: Float64Array;
  private readonly x: Float64Array;
  private readonly best: Float64Array;
  private readonly switched: boolean;
  private unit = 1;

  constructor(private readonly problem: Problem) {
    this.model = new MoveModel(problem, false);
    this.cost = new QuadraticCost(this.model);
    this.cuts = new SquareCuts(this.model, this.cost);
    this.reach = new BigM(this.model, (j, amount) => this.cost.leastBeyond(j, amount));
    this.fixed = createDomain(problem.space);
    this.amounts = new Float64Array(this.model.n);
    this.from = new Float64Array(problem.space.features.length);
    this.to = new Float64Array(problem.space.features.length);
    this.x = new Float64Array(problem.space.columns);
    this.best = new Float64Array(problem.space.columns);
    this.switched = problem.traits.capped || problem.traits.disjunctive;
  }

  solve(domain: Domain, limits: Limits): Outcome {
    const { space } = this.problem;
    gather(space, domain.origin, this.from);
    const start = this.projection([]).solve(domain, limits);
    if (start.status === 'infeasible') return INFEASIBLE;
    this.begin(domain, start);
    if (limits.nudge > AT_THE_EDGE) return this.inside(domain, limits, 0);
    const edge = this.approximate(domain, limits, 0);
    return edge.status === 'numerical' ? this.inside(domain, limits, edge.lowerBound) : edge;
  }

  /** A search some depth inside proves nothing new: the known bound stays. */
  private inside(domain: Domain, limits: Limits, lowerBound: number): Outcome {
    const outcome = this.approximate(domain, limits, DEPTH_FLOOR);
    return outcome.status === 'infeasible' ? limit(null, lowerBound) : { ...outcome, lowerBound };
  }

  /** Makes the first cuts and sets the unit in which costs have size 1. */
  private begin(domain: Domain, start: Outcome): void {
    const { model, cuts, cost } = this;
    model.fill(domain, 0);
    cuts.begin(model.room);
    if (start.x) for (const factor of AROUND) cuts.addAt(this.deltaOf(start.x).map((delta) => factor * delta));
    const prices = Array.from(
      model.moves,
      (_, j) => cost.choicePrice(j) || cost.leastBeyond(j, model.step[j] || model.unit[j]),
    );
    this.unit = start.lowerBound > 0 ? start.lowerBound : Math.min(...prices.filter((price) => price > 0), Infinity);
    if (this.unit === Infinity) this.unit = 1;
  }

  /** Δ by feature. */
  private deltaOf(x: Float64Array): Float64Array {
    gather(this.problem.space, x, this.to);
    return this.to.map((value, f) => value - this.from[f]);
  }

  /** Masters and steps in turn. 'numerical' with its bound when the model refuses an expected answer. */
  private approximate(domain: Domain, limits: Limits, depth: number): Outcome {
    const { model, reach, best } = this;
    model.fill(domain, depth === 0 ? 0 : limits.nudge);
    if (this.switched) reach.cut();
    else reach.rooms.set(model.room);
    let bound = 0;
    let bestCost = Infinity;
    for (let round = 0; round < ROUNDS && !limits.budget.isSpent; round++) {
      const master = this.master(reach.rooms, limits, depth);
      const { status } = master.run;
      if (status === 'failed') return bestCost < Infinity ? limit(best, bound) : numerical(master.run.detail);
      if (status === 'infeasible') {
        if (master.bound < Infinity) break;
        if (this.hasNothing(limits, depth)) return INFEASIBLE;
        if (round >= LEAPS) break;
        reach.growAll();
        continue;
      }
      bound = Math.max(bound, Math.min(master.bound, reach.outside()));
      if (isBeyond(bound, limits)) return limit(bestCost < Infinity ? best : null, bound);
      const answer = this.step(master, domain, limits);
      if (!answer)
        return status === 'optimal'
          ? { ...numerical('the model refused it'), lowerBound: bound }
          : limit(bestCost < Infinity ? best : null, bound);
      const cost = evaluateCost(this.problem.cost, this.problem.space, this.from, this.to);
      if (cost < bestCost) best.set(answer);
      bestCost = Math.min(bestCost, cost);
      // An answer below the bound: HiGHS was wrong.
      if (bestCost < bound * (1 - PROVED)) return limit(best, 0);
      if (bestCost * (1 - PROVED) - TRIFLE * this.unit <= bound) return solved(best, bound);
      if (status === 'limit' || limits.anyAnswer || isBeyond(bound, { ...limits, cutoff: bestCost })) break;
      const enough = reach.outside() >= bestCost;
      if (!enough) reach.growTo(bestCost);
      if (!this.learn(master, answer) && enough) break;
    }
    return limit(bestCost < Infinity ? best : null, bound);
  }

  private master(rooms: Float64Array, limits: Limits, depth: number): Master {
    const { model, cost, unit } = this;
    const program = new MoveProgram(model, rooms, depth);
    for (let j = 0; j < model.n; j++) {
      if (program.column[j] >= 0 && model.moves[j].kind === 'choose')
        program.sparse.cost[program.column[j]] = cost.choicePrice(j) / unit;
    }
    this.cuts.write(program, unit);
    const run = runHighs(program.sparse, limits.budget, limits.gap);
    const claimed = Math.max(0, run.bound * unit * (1 - BOUND_SHARE));
    return { run, program, bound: program.isTame ? claimed : 0 };
  }

  /** Whether no answer exists at all, rather than only within the present rooms. */
  private hasNothing(limits: Limits, depth: number): boolean {
    return this.reach.outside() === Infinity || this.master(this.model.room, limits, depth).bound === Infinity;
  }

  /** The best point with the master's discrete decisions. Null: the model does not accept it. */
  private step({ run, program }: Master, domain: Domain, limits: Limits): Float64Array | null {
    const { model, amounts, x, problem } = this;
    if (!run.values) return null;
    program.readAmounts(run.values, amounts);
    model.toColumns(
      amounts.map((amount, j) => amount / model.unit[j]),
      domain,
      x,
    );
    snapColumns(problem, domain, x);
    if (model.step.includes(0)) this.project(run.values, program, domain, limits);
    gather(problem.space, x, this.to);
    return isAnswer(problem, domain, x) ? x : null;
  }

  /** Projects the continuous features of `x` again. If that fails, they stay unchanged. */
  private project(values: Float64Array, program: MoveProgram, domain: Domain, limits: Limits): void {
    const { problem, fixed, x } = this;
    copyDomain(domain, fixed);
    for (const { index, column, width, kind } of problem.space.features) {
      const free =
        kind === 'continuous' &&
        domain.step[index] === 0 &&
        (!problem.traits.capped || program.isChanged(index, values));
      if (!free) for (let c = column; c < column + width; c++) fixed.lower[c] = fixed.upper[c] = x[c];
    }
    const chosen = problem.clauses.map((_, clause) => program.chosenAtom(clause, values)).filter((atom) => atom >= 0);
    const outcome = this.projection(chosen).solve(fixed, { ...limits, nudge: Math.max(limits.nudge, AT_THE_EDGE) });
    if (outcome.status === 'solved') x.set(outcome.x!);
  }

  private projection(atoms: readonly number[]): Prepared {
    const key = atoms.join();
    let prepared = this.projections.get(key);
    if (!prepared) {
      const links = [...this.problem.links, ...atoms.map((atom) => this.model.atoms[atom])];
      prepared = new PreparedActiveSet({ ...this.problem, links });
      this.projections.set(key, prepared);
    }
    return prepared;
  }

  /** Adds cuts at the master's point and at the answer. False: all of them existed. */
  private learn({ run, program }: Master, answer: Float64Array): boolean {
    const { model, amounts, cost } = this;
    program.readAmounts(run.values!, amounts);
    const delta = new Float64Array(this.from.length);
    for (let j = 0; j < model.n; j++) delta[model.moves[j].feature.index] += cost.effect(j) * amounts[j];
    const atMaster = this.cuts.addAt(delta);
    return this.cuts.addAt(this.deltaOf(answer)) || atMaster;
  }
}

export const miqp: Solver = { name: 'miqp', engine: highs, accepts, prepare: (problem) => new PreparedMiqp(problem) };
