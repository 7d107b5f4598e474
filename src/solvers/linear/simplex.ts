/**
 * L1 over linear rows and a box by our own dual simplex (survey, section 3.2, the LP): tens of microseconds where a fresh LP in a general
 * code costs milliseconds. The answer does not depend on the rows solved before.
 *
 *   min Σ w_j |Δ_j|   s.t.   lower_i <= a_i·(x + Δ) <= upper_i,   Δ in a box
 *
 * The answer lies some depth inside the region. The lower bound and the proof of infeasibility are computed from the simplex's multipliers
 * for the region as it is. Both are safe from rounding (dual-bound.ts).
 */
import type { LinearRow } from '../../models/region.js';
import type { Domain } from '../../policy/domain.js';
import type { Problem } from '../../problems/problem.js';
import { isRoundedAtOpenEnd, keepsLink, violation } from '../shared/linear-rows.js';
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
import { BoundedSimplex } from './bounded-simplex.js';
import { DualBound } from './dual-bound.js';
import { MoveModel } from './moves.js';

function accepts(problem: Problem): 'no' | 'exact' {
  const { traits } = problem;
  const fits = traits.linear && traits.norm === 'l1' && !traits.discrete && !traits.capped && !traits.disjunctive;
  return fits && !isRoundedAtOpenEnd(problem) ? 'exact' : 'no';
}

/** The relative gap between bound and cost that still counts as proved. */
const PROVED = 1e-7;

/** Work of a row apart from the simplex, in units of effort. */
const CALL_WORK = 1;

class PreparedSimplex implements Prepared {
  private readonly model: MoveModel;
  private readonly simplex: BoundedSimplex;
  private readonly proof = new DualBound();
  private readonly weight: Float64Array;
  private readonly cost: Float64Array;
  private readonly values: Float64Array;
  private readonly multipliers: Float64Array;
  private readonly x: Float64Array;

  constructor(problem: Problem) {
    this.model = new MoveModel(problem, false);
    const { m, n, moves } = this.model;
    this.simplex = new BoundedSimplex(m, n);
    this.weight = Float64Array.from(moves, ({ feature }) => problem.cost.weight[feature.index]);
    this.cost = new Float64Array(n);
    this.values = new Float64Array(n);
    this.multipliers = new Float64Array(m);
    this.x = new Float64Array(problem.space.columns);
  }

  solve(domain: Domain, limits: Limits): Outcome {
    const { model, simplex, values, x } = this;
    if (!model.fill(domain, limits.nudge)) return numerical('the row overflows');
    for (let j = 0; j < model.n; j++) this.cost[j] = this.weight[j] * model.unit[j];
    simplex.lo.set(model.lo);
    simplex.hi.set(model.hi);
    simplex.slack.set(model.slack);
    const status = simplex.solve(model.rows, this.cost, limits.budget);
    limits.budget.spend(CALL_WORK + simplex.work);
    if (status === 'numerical') return numerical('the simplex lost its footing');
    if (status === 'infeasible') return this.certify();
    simplex.read(values);
    model.toColumns(values, domain, x);
    const keeps = (row: LinearRow, i: number) => (i < model.regionRows ? violation(row, x) <= 0 : keepsLink(row, x));
    if (!model.always.every(keeps)) return numerical('rounding left a row');
    return this.conclude();
  }

  /**
   * The bound may fall short of the cost by the price of the depth. A larger gap is an error of the simplex, and the outcome is no proof.
   */
  private conclude(): Outcome {
    const { model, simplex, multipliers, values, cost } = this;
    simplex.readMultipliers(multipliers);
    let spent = 0;
    for (let j = 0; j < values.length; j++) spent += cost[j] * values[j];
    const least = this.proof.least(model, cost, multipliers, simplex);
    const longest = (j: number) => Math.min(model.room[j], Math.max(0, least) / this.weight[j]);
    const bound = Math.max(0, least - model.distanceDoubt(multipliers, longest));
    return (bound >= spent * (1 - PROVED) - this.priceOfDepth() ? solved : limit)(this.x, bound);
  }

  /** An upper bound on the cost of the depth. */
  private priceOfDepth(): number {
    const { model, multipliers } = this;
    let price = 0;
    for (let i = 0; i < model.choiceRow; i++) price += Math.abs(multipliers[i]) * 2 * model.doubt[i];
    return price;
  }

  private certify(): Outcome {
    this.simplex.readCertificate(this.multipliers);
    const doubt = this.model.distanceDoubt(this.multipliers, (j) => this.model.room[j]);
    return this.proof.provesEmpty(this.model, this.multipliers, this.simplex, doubt)
      ? INFEASIBLE
      : numerical('infeasible, but the certificate is not certain');
  }
}

export const simplex: Solver = {
  name: 'simplex',
  takesParts: true,
  accepts,
  prepare: (problem) => new PreparedSimplex(problem),
};
