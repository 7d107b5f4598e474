/**
 * L1 over linear rows and a box by HiGHS's dual simplex (survey, section 3.2, the LP): a second opinion below our own simplex, which is
 * about ten times faster and therefore comes first.
 *
 *   min Σ w_j |Δ_j|   s.t.   lower_i <= a_i·(x + Δ) <= upper_i,   Δ in a box
 *
 * Moves and rows are scaled as in moves.ts: the answer has size 1, and HiGHS's absolute tolerance is relative to the answer. Answers stay a
 * few tolerances inside the rows of the region. No claim of HiGHS is trusted: infeasibility and the lower bound are computed here from its
 * multipliers, for the region as it is and safe from rounding (dual-bound.ts).
 */
import type { Domain } from '../../policy/domain.js';
import type { Problem } from '../../problems/problem.js';
import { DualBound } from '../linear/dual-bound.js';
import { MoveModel } from '../linear/moves.js';
import { violation } from '../shared/linear-rows.js';
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
import { highs, type Run, runHighs } from './highs.js';
import { SparseProgram } from './sparse-program.js';

function accepts({ traits }: Problem): 'no' | 'exact' {
  const fits = traits.linear && traits.norm === 'l1' && !traits.discrete && !traits.capped && !traits.disjunctive;
  return fits ? 'exact' : 'no';
}

/** The least depth inside the scaled rows of the region: several times HiGHS's own tolerance. */
const DEPTH_FLOOR = 1e-9;
/** A link missed by more than this, relative to its scaled row, is broken. */
const LINK_TOLERANCE = 1e-9;

/** The relative gap between bound and cost that still counts as proved. */
const PROVED = 1e-7;

class PreparedLp implements Prepared {
  private readonly model: MoveModel;
  private readonly proof = new DualBound();
  private readonly price: Float64Array;
  private readonly x: Float64Array;

  constructor(private readonly problem: Problem) {
    this.model = new MoveModel(problem, false);
    this.price = new Float64Array(this.model.n);
    this.x = new Float64Array(problem.space.columns);
  }

  solve(domain: Domain, limits: Limits): Outcome {
    const { model, x } = this;
    if (!model.fill(domain, limits.nudge)) return numerical('the row overflows');
    for (const [j, { feature }] of model.moves.entries())
      this.price[j] = this.problem.cost.weight[feature.index] * model.unit[j];
    const program = this.program();
    const costScale = program.scaleCosts();
    const run = runHighs(program, limits.budget);
    if (run.status === 'infeasible') return this.certify(run);
    if (run.status === 'limit') return limit(null, 0);
    if (!run.values) return numerical(run.detail);
    model.toColumns(run.values, domain, x);
    if (this.breaksRow()) return numerical('HiGHS left a row');
    return this.conclude(run, costScale);
  }

  private conclude({ values, rowDuals }: Run, costScale: number): Outcome {
    const { model, price, proof } = this;
    const y = rowDuals.map((dual) => dual * costScale);
    const spent = price.reduce((sum, cost, j) => sum + cost * values![j], 0);
    const least = proof.least(model, price, y);
    const longest = (j: number) => Math.min(model.room[j], (Math.max(0, least) / price[j]) * model.unit[j]);
    const bound = Math.max(0, least - model.distanceDoubt(y, longest));
    const inside = (i: number) => 2 * model.doubt[i] + (model.isInner(i) ? DEPTH_FLOOR : 0);
    const priceOfDepth = y.reduce((sum, dual, i) => sum + Math.abs(dual) * inside(i), 0);
    return (bound >= spent * (1 - PROVED) - priceOfDepth ? solved : limit)(this.x, bound);
  }

  /** HiGHS gives no ray where no move can help a row. Each row is then tried by itself. */
  private certify({ ray }: Run): Outcome {
    const { model, proof } = this;
    const alone = (i: number, sign: number) => new Float64Array(model.m).fill(sign, i, i + 1);
    const rays = ray ? [ray] : model.always.flatMap((_, i) => [alone(i, 1), alone(i, -1)]);
    const doubtOf = (y: Float64Array) => model.distanceDoubt(y, (j) => model.room[j]);
    return rays.some((y) => proof.provesEmpty(model, y, undefined, doubtOf(y)))
      ? INFEASIBLE
      : numerical('infeasible, but the certificate is not certain');
  }

  private program(): SparseProgram {
    const { model } = this;
    const program = new SparseProgram();
    for (let j = 0; j < model.n; j++) {
      program.addColumn(model.lo[j], model.hi[j]);
      program.cost[j] = this.price[j];
    }
    for (let i = 0; i < model.m; i++) {
      const deeper = model.isInner(i) ? extraDepth(model, i, DEPTH_FLOOR) : 0;
      program.addRow(
        Array.from({ length: model.n }, (_, j) => [j, model.rows[i * model.n + j]] as const),
        model.lo[model.n + i] + deeper,
        model.hi[model.n + i] - deeper,
      );
    }
    return program;
  }

  private breaksRow(): boolean {
    const { model, x } = this;
    return model.always.some(
      (row, i) => violation(row, x) > (model.isInner(i) ? 0 : LINK_TOLERANCE / model.scaleOf(i)),
    );
  }
}

/** The amount by which a scaled row's depth falls short of the floor, without closing a narrow row. */
function extraDepth(model: MoveModel, i: number, floor: number): number {
  const width = model.hi[model.n + i] - model.lo[model.n + i];
  return Math.max(0, Math.min(floor - model.depth[i] * model.scaleOf(i), 0.25 * width));
}

export const lp: Solver = { name: 'lp', engine: highs, accepts, prepare: (problem) => new PreparedLp(problem) };
