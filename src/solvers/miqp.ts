/**
 * L2 and Mahalanobis costs over linear rows with integers, steps, categories, at most K changes and clauses, by outer
 * approximation (Duran and Grossmann) over HiGHS: the second opinion below our own branch and bound.
 *
 *   master   a mixed-integer program with t >= square for each square of the cost, kept by linear cuts: a lower bound
 *   step     everything discrete as the master has it, the rest by our projection: an answer; cuts at it are added
 *
 * until the bound meets the best answer. Cuts on t >= w Δ², Δ = up + down since only one of them moves:
 *
 *   tangent at r                     t >= w (2rΔ - r² y)                      y: whether the feature changes, 1 if nobody asks
 *   chord of a lattice at k, k+1     t >= w s² ((2k+1) Δ/s - k(k+1) y)        exact at whole multiples of the step s
 *
 * With y these are perspective cuts: they hold the cost of a change up even where y is fractional. On sums of features,
 * t >= u², plain tangents. As in milp.ts the master works on the rows as they are, and some depth inside once the model
 * has refused an answer; rooms are finite where something is switched (reach.ts).
 */
import { gather } from '../models/features.js';
import { evaluateCost } from '../policy/cost.js';
import { copyDomain, createDomain, type Domain } from '../policy/domain.js';
import type { Problem } from '../problems/problem.js';
import { activeSet } from './active-set.js';
import { isAnswer, snapColumns } from './answer-check.js';
import { loadHighs, type Run, runHighs } from './highs.js';
import { MoveProgram } from './move-program.js';
import { MoveModel } from './moves.js';
import { QuadraticCost } from './quadratic-cost.js';
import { Reach } from './reach.js';
import { INFEASIBLE, type Limits, limit, numerical, type Outcome, type Prepared, type Solver, solved } from './solver.js';
import type { Terms } from './sparse-program.js';

function accepts({ traits }: Problem): 'no' | 'exact' {
  return traits.linear && (traits.norm === 'l2' || traits.norm === 'mahalanobis') ? 'exact' : 'no';
}

const AT_THE_EDGE = 1e-12;
const DEPTH_FLOOR = 1e-8;
const BOUND_SHARE = 1e-7;
/** A share of the cost by which the bound may stay below it in a proof. */
const PROVED = 5e-7;
const ROUNDS = 200;
/** Lattices with up to this many points get all their chords at once. */
const FEW_POINTS = 12;
/** Where the first cuts are, around the projection without lattices, caps and clauses. */
const AROUND = [0.5, 1, 2];

/** t >= slope · u - height · y for a square of the cost, in the user's units. */
interface Cut {
  readonly slope: number;
  readonly height: number;
}

/** One square of the cost: weight · (its argument)². */
interface Square {
  readonly weight: number;
  /** By feature. */
  readonly argument: Float64Array;
  /** The feature whose own square it is, or -1. */
  readonly feature: number;
  readonly cuts: Map<string, Cut>;
}

class PreparedMiqp implements Prepared {
  private readonly model: MoveModel;
  private readonly cost: QuadraticCost;
  private readonly reach: Reach;
  private readonly projections = new Map<string, Prepared>();
  private readonly fixed: Domain;
  private readonly amounts: Float64Array;
  private readonly delta: Float64Array;
  private readonly from: Float64Array;
  private readonly to: Float64Array;
  private readonly x: Float64Array;
  private readonly best: Float64Array;
  private readonly switched: boolean;
  private squares: Square[] = [];

  constructor(private readonly problem: Problem) {
    this.model = new MoveModel(problem, false);
    this.cost = new QuadraticCost(this.model);
    this.reach = new Reach(this.model, (j, amount) => this.cost.leastBeyond(j, amount));
    this.fixed = createDomain(problem.space);
    this.amounts = new Float64Array(this.model.n);
    const perFeature = () => new Float64Array(problem.space.features.length);
    this.delta = perFeature();
    this.from = perFeature();
    this.to = perFeature();
    this.x = new Float64Array(problem.space.columns);
    this.best = new Float64Array(problem.space.columns);
    this.switched = problem.traits.capped || problem.traits.disjunctive;
  }
}

export const miqp: Solver = { name: 'miqp', load: loadHighs, accepts, prepare: (problem) => new PreparedMiqp(problem) };
