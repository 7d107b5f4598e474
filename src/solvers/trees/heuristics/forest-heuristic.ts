/** Shared by the heuristics for tree ensembles: the problems that they accept, and the solver around a search. */
import type { Domain } from '../../../policy/domain.js';
import type { Problem } from '../../../problems/problem.js';
import { type Acceptance, type Limits, limit, type Outcome, type Prepared, type Solver } from '../../solver.js';
import { CellSearch } from '../cells/cell-search.js';
import { Cells, hasCells, PersonCells, treesOf } from '../cells/cells.js';

/** Leaves the best answer that the strategy finds in the search's point. The point starts at home and is no answer. */
export type Strategy = (search: CellSearch, anyAnswer: boolean) => void;

class PreparedHeuristic implements Prepared {
  private readonly person: PersonCells;
  private readonly search: CellSearch;
  private readonly strategy: Strategy;
  private readonly x: Float64Array;

  constructor(problem: Problem, prepare: (search: CellSearch) => Strategy) {
    const cells = new Cells(problem, treesOf(problem));
    this.person = new PersonCells(cells);
    this.search = new CellSearch(cells);
    this.strategy = prepare(this.search);
    this.x = new Float64Array(problem.space.columns);
  }

  solve(domain: Domain, limits: Limits): Outcome {
    const { search } = this;
    const { point } = search;
    this.person.fill(domain);
    if (!search.begin(this.person, domain, limits.budget)) return limit(null, Number.NEGATIVE_INFINITY);
    if (!point.offer()) this.strategy(search, limits.anyAnswer);
    if (!point.found) return limit(null, Number.NEGATIVE_INFINITY);
    this.person.toColumns(point.best, domain, this.x);
    return limit(this.x, Number.NEGATIVE_INFINITY);
  }
}

export function forestHeuristic(name: string, prepare: (search: CellSearch) => Strategy): Solver {
  const accepts = (problem: Problem): Acceptance => (hasCells(problem) ? 'heuristic' : 'no');
  return { name, partOf: 'forest-exact', accepts, prepare: (problem) => new PreparedHeuristic(problem, prepare) };
}
