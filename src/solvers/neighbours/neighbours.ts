/**
 * k nearest neighbours with Euclidean distance and equal weights: best-first search over sets of neighbours around an exact solver of
 * linear rows from the table.
 *
 *   min cost(x' - x)   s.t.   the labels of the k samples nearest to x' reach the goal,   domain, links, clauses
 *
 * The region is a union of polyhedra, one for each set of neighbours, whose rows are bisectors of two samples (bisectors.ts). There are
 * too many sets to list, and too many rows in each. Rows join where a point breaks them, and sets are divided only where they differ
 * there (neighbour-search.ts). Every norm, lattice, category, link and cap is kept by the inner solver.
 *
 * Limits: with many neighbours the number of sets grows, and the search ends by its budget with the bound that is left.
 */
import type { NeighboursAtom } from '../../models/region.js';
import type { Domain } from '../../policy/domain.js';
import { onlyAtoms, type Problem } from '../../problems/problem.js';
import { RelaxedProblems } from '../reductions/relaxed-problems.js';
import { BestAnswer } from '../shared/best-answer.js';
import type { Limits, Outcome, Prepared, Solver, SolverTable } from '../solver.js';
import { Bisectors } from './bisectors.js';
import { type NeighbourParts, NeighbourSearch } from './neighbour-search.js';
import { votesOf } from './votes.js';

function neighboursOf(problem: Problem): NeighboursAtom | null {
  const [atom, ...more] = onlyAtoms(problem, 'neighbours');
  return atom && !more.length && atom.isUniform && atom.nearest.metric === 'euclidean' ? atom : null;
}

/** With the bisector of two samples as an example of what every round has. */
function relax(problem: Problem, bisectors: Bisectors, table: SolverTable): RelaxedProblems {
  return new RelaxedProblems(problem, [], [{ rows: [bisectors.row(0, bisectors.count - 1)], atoms: [] }], table);
}

class PreparedNeighbours implements Prepared {
  private readonly parts: NeighbourParts;

  constructor(problem: Problem, atom: NeighboursAtom, table: SolverTable) {
    const bisectors = new Bisectors(atom, problem);
    const relaxed = relax(problem, bisectors, table);
    this.parts = { problem, atom, votes: votesOf(atom), bisectors, relaxed, best: new BestAnswer(problem) };
  }

  solve(domain: Domain, limits: Limits): Outcome {
    this.parts.best.begin(domain);
    return new NeighbourSearch(this.parts, domain, limits).run();
  }
}

function accepts(problem: Problem, table: SolverTable): 'no' | 'exact' {
  const atom = neighboursOf(problem);
  return atom && relax(problem, new Bisectors(atom, problem), table).solvers.length ? 'exact' : 'no';
}

export const neighbours: Solver = {
  name: 'neighbours',
  takesParts: true,
  accepts,
  prepare: (problem, table) => new PreparedNeighbours(problem, neighboursOf(problem)!, table),
};
