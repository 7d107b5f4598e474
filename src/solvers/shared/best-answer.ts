/**
 * The incumbent of a search and its cost:  min cost(x' - x) + term(x')  over the points x' that the search has offered.
 *
 * A prepared solver keeps one incumbent and resets it for each person. The point that it returns is the solver's own array.
 */
import { gather } from '../../models/features.js';
import { evaluateCost } from '../../policy/cost.js';
import type { Domain } from '../../policy/domain.js';
import type { Problem } from '../../problems/problem.js';
import { INFEASIBLE, limit, type Outcome, solved } from '../solver.js';

/**
 * A relative gap up to this size counts as none, as in a result. A search and the solver that it is built around may each leave half of it.
 */
const SOLVED_GAP = 1e-6;

export class BestAnswer {
  /** The point in columns. Its content is undefined until an answer is found. */
  readonly x: Float64Array;
  private least = Infinity;
  private readonly from: Float64Array;
  private readonly to: Float64Array;

  constructor(private readonly problem: Problem) {
    this.x = new Float64Array(problem.space.columns);
    this.from = new Float64Array(problem.space.features.length);
    this.to = new Float64Array(problem.space.features.length);
  }

  /** Infinity: no answer is found yet. */
  get cost(): number {
    return this.least;
  }

  get isFound(): boolean {
    return this.least < Infinity;
  }

  /** Forgets the incumbent of the previous person. */
  begin({ origin }: Domain): void {
    this.least = Infinity;
    gather(this.problem.space, origin, this.from);
  }

  /** Copies the point if it is cheaper than the incumbent. `cost`: passed where the search already knows the cost. */
  offer(x: Float64Array, cost = this.costOf(x)): void {
    if (!(cost < this.least)) return;
    this.least = cost;
    this.x.set(x);
  }

  /** The outcome at the end of a search. `bound`: the least bound of the open nodes. */
  conclude(bound: number): Outcome {
    if (!this.isFound) return bound === Infinity ? INFEASIBLE : limit(null, bound);
    const sure = Math.min(bound, this.least);
    return (sure >= this.least * (1 - SOLVED_GAP) ? solved : limit)(this.x, sure);
  }

  costOf(x: Float64Array): number {
    const { space, cost, term } = this.problem;
    gather(space, x, this.to);
    const norm = evaluateCost(cost, space, this.from, this.to);
    return term ? norm + term.of(x) : norm;
  }
}
