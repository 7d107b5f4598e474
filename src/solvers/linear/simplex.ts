/**
 * L1 over linear rows and a box by our own dual simplex (survey, section 3.2, the LP): tens of microseconds where a
 * fresh LP in a general code costs milliseconds, and the same answer whatever was solved before.
 *
 *   min Σ w_j |Δ_j|   s.t.   lower_i <= a_i·(x + Δ) <= upper_i,   Δ in a box
 *
 * Infeasibility is certified on the original rows. Lower bound: the optimum is convex in the depth δ at which rows are
 * kept, so  v(0) >= v(δ) - Σ |y_i| δ_i  with the rows' multipliers y.
 */
import type { Domain } from '../../policy/domain.js';
import type { Problem } from '../../problems/problem.js';
import { linkSlack, provesInfeasible, violation } from '../shared/linear-rows.js';
import { INFEASIBLE, type Limits, numerical, type Outcome, type Prepared, type Solver, solved } from '../solver.js';
import { BoundedSimplex } from './bounded-simplex.js';
import { MoveModel } from './moves.js';

function accepts({ traits }: Problem): 'no' | 'exact' {
  const fits = traits.linear && traits.norm === 'l1' && !traits.discrete && !traits.capped && !traits.disjunctive;
  return fits ? 'exact' : 'no';
}

class PreparedSimplex implements Prepared {
  private readonly model: MoveModel;
  private readonly simplex: BoundedSimplex;
  private readonly cost: Float64Array;
  private readonly values: Float64Array;
  private readonly multipliers: Float64Array;
  private readonly x: Float64Array;

  constructor(problem: Problem) {
    this.model = new MoveModel(problem, false);
    this.simplex = new BoundedSimplex(this.model.m, this.model.n);
    this.cost = Float64Array.from(
      this.model.moves,
      (move, j) => problem.cost.weight[move.feature.index] * this.model.unit[j],
    );
    this.values = new Float64Array(this.model.n);
    this.multipliers = new Float64Array(this.model.m);
    this.x = new Float64Array(problem.space.columns);
  }

  solve(domain: Domain, limits: Limits): Outcome {
    const { model, simplex, values, multipliers, x } = this;
    model.fill(domain, limits.nudge);
    simplex.lo.set(model.lo);
    simplex.hi.set(model.hi);
    simplex.slack.set(model.slack);
    const status = simplex.solve(model.rows, this.cost);
    limits.budget.spend(simplex.work);
    if (status === 'numerical') return numerical('the simplex lost its footing');
    if (status === 'infeasible') return this.certify(domain);
    simplex.read(values);
    model.toColumns(values, domain, x);
    if (
      model.always.some((row, i) => violation(row, x) > (i < model.regionRows ? 0 : 10 * linkSlack(row, domain.origin)))
    )
      return numerical('rounding left a row');
    simplex.readMultipliers(multipliers);
    let spent = 0;
    for (let j = 0; j < values.length; j++) spent += this.cost[j] * values[j];
    return solved(x, Math.max(0, spent - this.priceOfDepth()));
  }

  /** What the depth costs at most: multipliers are in scaled rows, depths in original ones. */
  private priceOfDepth(): number {
    const { model, multipliers } = this;
    let price = 0;
    for (let i = 0; i < model.regionRows; i++) price += Math.abs(multipliers[i]) * 4 * model.slack[i];
    return price;
  }

  private certify(domain: Domain): Outcome {
    const { model, multipliers } = this;
    this.simplex.readCertificate(multipliers);
    const y = Float64Array.from(model.always, (_, i) => multipliers[i] * model.scaleOf(i));
    return provesInfeasible(model.always, y, domain)
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
