/**
 * L0, L1 and percentile costs over linear rows with integers, steps, categories, at most K changes and clauses, as a
 * mixed-integer program for HiGHS: a second opinion below our own branch and bound, and often faster where the latter has to
 * visit thousands of nodes.
 *
 *   constraints: move-program.ts       cost: separable-cost.ts       finite rooms for switched moves: big-m.ts
 *
 * HiGHS may miss a row by its tolerance, so its answer only decides which lattice points, categories, changes and
 * alternatives to take. Lattice moves are put exactly on their points, and our own simplex solves the continuous moves again. The
 * first attempt uses the rows as they are, which gives the lower bound and answers that meet a row with equality. If the model
 * does not accept that answer, a second attempt stays some depth inside.
 *
 * Infeasibility and the bound of a mixed-integer program have no short certificate. HiGHS's claim is accepted for rows that are moved
 * outwards by more than rounding and HiGHS's tolerances, and only where HiGHS can resolve the difference (move-program.ts). With an
 * incumbent, one more row limits the cost: the program searches no dearer answer and claims nothing about dearer ones.
 */
import type { Domain } from '../../policy/domain.js';
import type { Problem } from '../../problems/problem.js';
import { BoundedSimplex } from '../linear/bounded-simplex.js';
import { MoveModel } from '../linear/moves.js';
import { isAnswer, snapColumns } from '../shared/answer-check.js';
import {
  INFEASIBLE,
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
import { SeparableCost } from './separable-cost.js';

function accepts({ traits }: Problem): 'no' | 'exact' {
  return traits.linear && (traits.norm === 'l0' || traits.norm === 'l1' || traits.norm === 'percentile')
    ? 'exact'
    : 'no';
}

/** A nudge up to this size asks for the edge of the region itself. A larger nudge means that an answer at the edge was refused. */
const AT_THE_EDGE = 1e-12;
/** The depth inside the scaled rows after an answer at the edge was refused: several times HiGHS's tolerance. */
const DEPTH_FLOOR = 1e-8;
/** The largest relative error of HiGHS's bound. */
const BOUND_SHARE = 1e-7;
/** A cost difference below this share of a move of usual size and price counts as none. */
const TRIFLE = 1e-9;
/** A relative distance to a corner of the cost that counts as at the corner. */
const AT_CORNER = 1e-9;
/** The largest number of times that rooms are enlarged. */
const ROUNDS = 3;

interface SolvedProgram {
  readonly run: Run;
  readonly program: MoveProgram;
  /** A proved lower bound for every answer, within the rooms or not. */
  readonly bound: number;
  readonly trifle: number;
}

/** The interval left to a continuous move, unscaled, and the slope of its cost. */
type Bracket = readonly [low: number, high: number, slope: number];

class PreparedMilp implements Prepared {
  private readonly model: MoveModel;
  private readonly cost: SeparableCost;
  private readonly reach: BigM;
  private readonly simplex: BoundedSimplex;
  private readonly price: Float64Array;
  private readonly amounts: Float64Array;
  private readonly values: Float64Array;
  private readonly x: Float64Array;
  /** Some moves are switched on and off and need finite rooms. */
  private readonly switched: boolean;

  constructor(private readonly problem: Problem) {
    this.model = new MoveModel(problem, true);
    this.cost = new SeparableCost(this.model);
    this.reach = new BigM(this.model, (j, amount) => this.cost.price(j, amount));
    this.simplex = new BoundedSimplex(this.model.m, this.model.n);
    this.price = new Float64Array(this.model.n);
    this.amounts = new Float64Array(this.model.n);
    this.values = new Float64Array(this.model.n);
    this.x = new Float64Array(problem.space.columns);
    const { capped, disjunctive, norm } = problem.traits;
    this.switched = capped || disjunctive || norm !== 'l1';
  }

  solve(domain: Domain, limits: Limits): Outcome {
    let bound = 0;
    if (limits.nudge <= AT_THE_EDGE) {
      const found = this.search(domain, limits, 0, 0);
      bound = Math.min(found.bound, limits.cutoff);
      if (found.run.status === 'infeasible') return bound === Infinity ? INFEASIBLE : limit(null, bound);
      if (this.settle(found, domain, limits.nudge)) return this.conclude(found, bound);
      if (found.run.status === 'limit') return limit(null, bound);
    }
    const found = this.search(domain, limits, limits.nudge, DEPTH_FLOOR);
    if (found.run.status === 'failed') return numerical(found.run.detail);
    if (!found.run.values) return limit(null, bound);
    return this.settle(found, domain, limits.nudge) ? this.conclude(found, bound) : numerical('HiGHS left a row');
  }

  private conclude(found: SolvedProgram, bound: number): Outcome {
    const cost = this.cost.total(this.amounts);
    // An answer below the bound: HiGHS was wrong.
    if (cost < found.bound * (1 - BOUND_SHARE)) return limit(this.x, 0);
    const lack = cost * (1 - 10 * BOUND_SHARE) - found.trifle;
    const proved = found.run.status === 'optimal' && found.bound >= lack;
    return (proved ? solved : limit)(this.x, bound);
  }

  /** The best answer within rooms that are large enough for it. */
  private search(domain: Domain, limits: Limits, nudge: number, depth: number): SolvedProgram {
    const { model, reach } = this;
    model.fill(domain, nudge);
    if (!this.switched) return this.run(model.room, limits, depth);
    reach.cut();
    for (let round = 1; ; round++) {
      const found = this.run(reach.rooms, limits, depth);
      const outside = reach.outside();
      const within = { ...found, bound: Math.min(found.bound, outside) };
      if (found.run.status === 'infeasible') {
        if (outside === Infinity || this.relaxed(limits, depth) === Infinity) return found;
        if (round === ROUNDS) return within;
        reach.growAll();
      } else {
        const enough = found.run.status !== 'optimal' || limits.anyAnswer || outside >= this.costOf(found);
        if (enough || round === ROUNDS) return within;
        if (!reach.growTo(this.costOf(found)))
          return { ...found, bound: Math.min(found.bound, outside + this.relaxed(limits, depth)) };
      }
    }
  }

  private costOf({ program, run }: SolvedProgram): number {
    program.readAmounts(run.values!, this.amounts);
    return this.cost.total(this.amounts);
  }

  /** A bound with infinite rooms. Switches that need finite rooms, and their costs, are relaxed. */
  private relaxed(limits: Limits, depth: number): number {
    return this.run(this.model.room, limits, depth).bound;
  }

  private run(rooms: Float64Array, limits: Limits, depth: number): SolvedProgram {
    const program = new MoveProgram(this.model, rooms, depth);
    if (!limits.anyAnswer) this.cost.write(program);
    const scale = program.sparse.scaleCosts();
    if (!limits.anyAnswer) program.sparse.limitCost((limits.cutoff / scale) * (1 + BOUND_SHARE));
    const run = runHighs(program.sparse, limits.budget, limits.gap);
    const claimed = Math.max(0, run.bound * scale * (1 - BOUND_SHARE));
    return { run, program, bound: program.isTame ? claimed : 0, trifle: TRIFLE * scale };
  }

  /** Turns HiGHS's solution into an exact answer in `x` and `amounts`. False: the result is no answer. */
  private settle({ run, program }: SolvedProgram, domain: Domain, nudge: number): boolean {
    const { model, amounts, values, x } = this;
    if (!run.values) return false;
    program.readAmounts(run.values, amounts);
    if (model.step.includes(0)) this.polish(run.values, program, domain, nudge);
    for (let j = 0; j < model.n; j++) values[j] = amounts[j] / model.unit[j];
    model.toColumns(values, domain, x);
    snapColumns(this.problem, domain, x);
    return isAnswer(this.problem, domain, x);
  }

  /** Solves the continuous moves again by our simplex with all discrete decisions fixed. If that fails, they stay unchanged. */
  private polish(found: Float64Array, program: MoveProgram, domain: Domain, nudge: number): void {
    const { model, simplex, amounts } = this;
    model.fill(domain, nudge);
    simplex.lo.set(model.lo);
    simplex.hi.set(model.hi);
    simplex.slack.set(model.slack);
    for (let j = 0; j < model.n; j++) {
      const [low, high, slope] = this.bracket(j, found, program);
      simplex.lo[j] = low / model.unit[j];
      simplex.hi[j] = high / model.unit[j];
      this.price[j] = slope * model.unit[j];
    }
    for (let i = model.changesRow; i < model.m; i++) {
      simplex.lo[model.n + i] = Number.NEGATIVE_INFINITY;
      simplex.hi[model.n + i] = Infinity;
    }
    for (let clause = 0; clause < this.problem.clauses.length; clause++) {
      const i = model.n + model.atomRow + program.chosenAtom(clause, found);
      if (i < model.n + model.atomRow) continue;
      simplex.lo[i] = model.lo[i];
      simplex.hi[i] = model.hi[i];
    }
    if (simplex.solve(model.rows, this.price) !== 'optimal') return;
    simplex.read(this.values);
    for (let j = 0; j < model.n; j++) amounts[j] = this.values[j] * model.unit[j];
  }

  /** The interval and the slope of a move with all discrete decisions fixed. */
  private bracket(j: number, found: Float64Array, program: MoveProgram): Bracket {
    const { model, amounts, problem } = this;
    const { norm, weight } = problem.cost;
    const { index } = model.moves[j].feature;
    if (model.step[j] > 0) return [amounts[j], amounts[j], 0];
    const still = (problem.traits.capped || norm === 'l0') && !program.isChanged(index, found);
    if (still) return [0, 0, 0];
    if (norm === 'percentile') return this.stretchAround(j);
    return [model.least[j], model.room[j], norm === 'l1' ? weight[index] : 1 / model.unit[j]];
  }

  /** The linear piece of the cost that contains the amount. At a corner the amount is fixed. */
  private stretchAround(j: number): Bracket {
    const { least, room } = this.model;
    const amount = this.amounts[j];
    const slack = AT_CORNER * amount;
    let start = 0;
    for (const { length, slope } of this.cost.stretches(j, room[j])) {
      if (Math.abs(amount - start) <= slack) return [start, start, 0];
      const end = start + length;
      if (amount < end - slack) return [Math.max(start, least[j]), Math.min(end, room[j]), slope];
      start = end;
    }
    return [room[j], room[j], 0];
  }
}

export const milp: Solver = { name: 'milp', engine: highs, accepts, prepare: (problem) => new PreparedMilp(problem) };
