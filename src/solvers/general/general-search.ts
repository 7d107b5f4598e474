/** The common part of the general optimisers: a search for each person, a polish of the answers, starts from the training set. */
import type { Domain } from '../../policy/domain.js';
import type { Problem } from '../../problems/problem.js';
import type { RelaxedProblems } from '../reductions/relaxed-problems.js';
import { isOracle, searchAll } from '../shared/side-by-side.js';
import {
  type Acceptance,
  type Limits,
  type Outcome,
  type Prepared,
  type Solver,
  type SolverTable,
  withoutWaiting,
} from '../solver.js';
import { costScales } from './cost-scales.js';
import { type Asked, cheaper, type Look, PersonSearch } from './person-search.js';
import { latticeProblems } from './polish/lattice-step.js';
import { COARSE, FINE, Polish } from './polish/polish.js';
import { TargetSamples } from './target-samples.js';
import { descendTotal } from './totals/total-descent.js';

export interface SearchParts {
  readonly search: PersonSearch;
  readonly polish: Polish;
  readonly samples: TargetSamples;
  /** The evaluation of the row itself. */
  readonly home: Look;
}

/** Looks for answers. The outcome is the cheapest answer among all evaluated points. */
export type Method = (parts: SearchParts) => Asked<void>;

class PreparedSearch implements Prepared {
  private readonly scale: Float64Array;
  private readonly samples: TargetSamples;
  private readonly lattice: RelaxedProblems | null;

  constructor(
    private readonly problem: Problem,
    private readonly method: Method,
    table: SolverTable,
  ) {
    this.lattice = latticeProblems(problem, table);
    this.scale = costScales(problem);
    this.samples = new TargetSamples(problem);
  }

  solve(domain: Domain, limits: Limits): Outcome {
    return withoutWaiting(this.steps(domain, limits));
  }

  *steps(domain: Domain, limits: Limits): Asked<Outcome> {
    const search = new PersonSearch(this.problem, domain, limits, this.scale);
    const home = yield* search.askOne(search.home);
    const parts = { search, polish: new Polish(search, this.lattice), samples: this.samples, home };
    yield* this.method(parts);
    if (!search.best.isFound && !search.isOver) yield* enterAtLast(parts);
    return search.outcome;
  }
}

/** If the method found no answer: enters the region by linear models of the margin. */
function* enterAtLast({ search, polish, home }: SearchParts): Asked<void> {
  const entered = yield* polish.enterAtLast(home);
  if (entered && !search.isOver) yield* polish.from(entered);
}

const anyProblem = (): Acceptance => 'heuristic';

/** A row of the table. */
export const generalSolver = (
  name: string,
  method: Method,
  place: Solver['place'],
  accepts: Solver['accepts'] = anyProblem,
): Solver => ({
  name,
  place,
  takesTerm: true,
  accepts,
  prepare: (problem, table) => new PreparedSearch(problem, method, table),
});

/** Polishes the cheapest of some answers, and the best of these to the end. If the cost has a term, then minimises the total from there. */
export function* polishBest({ search, polish }: SearchParts, answers: readonly Look[], most: number): Asked<void> {
  const costs = new Map(answers.map((look) => [look, search.costOf(look.x)]));
  const cheapest = [...answers].sort((a, b) => costs.get(a)! - costs.get(b)!).slice(0, most);
  const polished = yield* searchAll(
    search.problem,
    cheapest.map((look) => polishCoarsely(search, isOracle(search.problem) ? polish.another() : polish, look)),
  );
  let best = polished.reduce<Look | null>((a, b) => cheaper(search, a, b), null);
  if (best && !search.isOver) best = cheaper(search, best, yield* polish.from(best, FINE));
  if (best && search.problem.term && !search.isOver) yield* descendTotal(search, best);
}

/** Null: the search is over. Polishes that run side by side each need their own instance. */
function* polishCoarsely(search: PersonSearch, polish: Polish, look: Look): Asked<Look | null> {
  return search.isOver ? null : yield* polish.from(look, COARSE);
}
