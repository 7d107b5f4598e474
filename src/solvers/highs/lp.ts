/**
 * L1 over linear rows and a box by HiGHS's dual simplex (survey, section 3.2, the LP): the second opinion below our own
 * simplex, which is some ten times faster and therefore comes first.
 *
 *   min Σ w_j |Δ_j|   s.t.   lower_i <= a_i·(x + Δ) <= upper_i,   Δ in a box
 *
 * Moves and rows are scaled as in moves.ts, and all of them by the gap g that the person is away from the rows, so that
 * the answer is of size 1 and HiGHS's absolute tolerance is relative to it. Rows of the region are kept a few tolerances
 * inside. Nothing that HiGHS claims is taken on trust: infeasibility is certified on the original rows, and the lower
 * bound is computed here from its multipliers y by weak duality, on the rows as they are without depth:
 *
 *   Σ_i y_i (lower_i for y_i > 0, upper_i for y_i < 0)  +  Σ_j min over the box of (c_j - (Aᵀy)_j) v_j
 */
import type { Domain } from '../../policy/domain.js';
import type { Problem } from '../../problems/problem.js';
import { MoveModel } from '../linear/moves.js';
import { certify } from '../shared/certificate.js';
import { violation } from '../shared/linear-rows.js';
import { type Limits, limit, numerical, type Outcome, type Prepared, type Solver, solved } from '../solver.js';
import { loadHighs, runHighs } from './highs.js';
import { gapOf } from './move-program.js';
import { SparseProgram } from './sparse-program.js';

function accepts({ traits }: Problem): 'no' | 'exact' {
  const fits = traits.linear && traits.norm === 'l1' && !traits.discrete && !traits.capped && !traits.disjunctive;
  return fits ? 'exact' : 'no';
}

/** How far inside the region's rows to stay at least, relative to the gap: several times HiGHS's own tolerance. */
const DEPTH_FLOOR = 1e-9;
/** A link that is missed by more than this, relative to its scaled row, is broken. */
const LINK_TOLERANCE = 1e-9;

class PreparedLp implements Prepared {
  private readonly model: MoveModel;
  private readonly price: Float64Array;
  private readonly values: Float64Array;
  private readonly x: Float64Array;

  constructor(problem: Problem) {
    this.model = new MoveModel(problem, false);
    this.price = Float64Array.from(
      this.model.moves,
      (move, j) => problem.cost.weight[move.feature.index] * this.model.unit[j],
    );
    this.values = new Float64Array(this.model.n);
    this.x = new Float64Array(problem.space.columns);
  }

  solve(domain: Domain, limits: Limits): Outcome {
    const { model, values, x } = this;
    model.fill(domain, limits.nudge);
    const gap = gapOf(model);
    const program = this.program(gap);
    const costScale = program.scaleCosts();
    const run = runHighs(program, limits.budget);
    if (run.status === 'infeasible') return certify(model.always, run.ray, (i) => model.scaleOf(i), domain);
    if (run.status === 'limit') return limit(null, 0);
    if (!run.values) return numerical(run.detail);
    for (let j = 0; j < values.length; j++) values[j] = gap * run.values[j];
    model.toColumns(values, domain, x);
    if (this.breaksRow()) return numerical('HiGHS left a row');
    return solved(x, this.lowerBound(run.rowDuals.map((y) => (y * costScale) / gap)));
  }

  private program(gap: number): SparseProgram {
    const { model } = this;
    const program = new SparseProgram();
    for (let j = 0; j < model.n; j++) {
      program.addColumn(model.lo[j] / gap, model.hi[j] / gap);
      program.cost[j] = this.price[j];
    }
    for (let i = 0; i < model.m; i++) {
      const deeper = i < model.regionRows ? extraDepth(model, i, DEPTH_FLOOR * gap) : 0;
      program.addRow(
        Array.from({ length: model.n }, (_, j) => [j, model.rows[i * model.n + j]] as const),
        (model.lo[model.n + i] + deeper) / gap,
        (model.hi[model.n + i] - deeper) / gap,
      );
    }
    return program;
  }

  private breaksRow(): boolean {
    const { model, x } = this;
    return model.always.some(
      (row, i) => violation(row, x) > (i < model.regionRows ? 0 : LINK_TOLERANCE / model.scaleOf(i)),
    );
  }

  /** Weak duality; y is shrunk until no unbounded move has a negative reduced cost. */
  private lowerBound(y: Float64Array): number {
    const { model, price } = this;
    const earned = Float64Array.from(price, (_, j) =>
      y.reduce((sum, yi, i) => sum + yi * model.rows[i * model.n + j], 0),
    );
    let shrink = 1;
    for (let j = 0; j < model.n; j++)
      if (model.hi[j] === Infinity && earned[j] > price[j]) shrink = Math.min(shrink, price[j] / earned[j]);
    let bound = 0;
    for (let i = 0; i < y.length; i++) {
      const depth = i < model.regionRows ? model.depth[i] * model.scaleOf(i) : 0;
      if (y[i] !== 0)
        bound += shrink * y[i] * (y[i] > 0 ? model.lo[model.n + i] - depth : model.hi[model.n + i] + depth);
    }
    for (let j = 0; j < model.n; j++) {
      const reduced = price[j] - shrink * earned[j];
      bound += reduced >= 0 ? reduced * model.lo[j] : model.hi[j] < Infinity ? reduced * model.hi[j] : 0;
    }
    return Number.isFinite(bound) ? Math.max(0, bound) : 0;
  }
}

/** By how much a scaled row's depth falls short of the floor, without closing a narrow row. */
function extraDepth(model: MoveModel, i: number, floor: number): number {
  const width = model.hi[model.n + i] - model.lo[model.n + i];
  return Math.max(0, Math.min(floor - model.depth[i] * model.scaleOf(i), 0.25 * width));
}

export const lp: Solver = { name: 'lp', load: loadHighs, accepts, prepare: (problem) => new PreparedLp(problem) };
