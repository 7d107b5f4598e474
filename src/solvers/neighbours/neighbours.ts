/**
 * k nearest neighbours: best-first search over sets of neighbours around an exact solver of linear rows from the table.
 *
 *   min cost(x' - x)   s.t.   the labels of the k samples nearest to x' reach the goal,   domain, links, clauses
 *
 * With the Euclidean metric and equal weights the region is a union of polyhedra, one for each set of neighbours, whose rows are bisectors
 * of two samples (bisectors.ts). There are
 * too many sets to list, and too many rows in each. Rows join where a point breaks them, and sets are divided only where they differ
 * there (neighbour-search.ts). The Manhattan metric (ramps.ts) and votes by distance (distance-votes.ts) have rows within boxes of the
 * model's inputs; boxes are divided where these rows are not tight enough. Every norm, lattice, category, link and cap is kept by the inner solver.
 *
 * Limits: with many neighbours the number of sets grows, and the search ends by its budget with the bound that is left.
 */
import type { NeighboursAtom } from '../../models/region.js';
import type { Domain } from '../../policy/domain.js';
import { onlyAtoms, type Problem } from '../../problems/problem.js';
import { genetic } from '../general/genetic.js';
import { spheres } from '../general/spheres.js';
import { nearest } from '../nearest.js';
import { RelaxedProblems } from '../reductions/relaxed-problems.js';
import { BestAnswer } from '../shared/best-answer.js';
import { prepareLater } from '../shared/prepare-later.js';
import type { Limits, Outcome, Prepared, Solver, SolverTable } from '../solver.js';
import { Bisectors } from './bisectors.js';
import type { Comparisons } from './comparisons.js';
import { DistanceVotes } from './distance-votes.js';
import type { NeighbourParts } from './neighbour-parts.js';
import { NeighbourSearch } from './neighbour-search.js';
import { Ramps } from './ramps.js';
import { sampleRows } from './sample-rows.js';
import { votesOf } from './votes.js';

function neighboursOf(problem: Problem): NeighboursAtom | null {
  const [atom, ...more] = onlyAtoms(problem, 'neighbours');
  return atom && !more.length ? atom : null;
}

const compare = (atom: NeighboursAtom, problem: Problem): Comparisons =>
  atom.nearest.metric === 'euclidean' ? new Bisectors(atom, problem) : new Ramps(atom, problem);

/** First answers: from the samples themselves. */
const fromSamples: Solver = {
  ...nearest,
  prepare: (problem, table) =>
    nearest.prepare({ ...problem, samples: sampleRows(neighboursOf(problem)!, problem) }, table),
};

/** With the bisector of two samples as an example of what every round has. */
function relax(problem: Problem, atom: NeighboursAtom, table: SolverTable): RelaxedProblems {
  const bisectors = new Bisectors(atom, problem);
  return new RelaxedProblems(problem, [], [{ rows: [bisectors.row(0, bisectors.count - 1)], atoms: [] }], table);
}

class PreparedNeighbours implements Prepared {
  private readonly parts: NeighbourParts;

  constructor(problem: Problem, atom: NeighboursAtom, table: SolverTable) {
    this.parts = {
      problem,
      atom,
      votes: atom.isUniform ? votesOf(atom) : new DistanceVotes(atom),
      comparisons: compare(atom, problem),
      starts: prepareLater(fromSamples, problem, table),
      rescues: [spheres, genetic].map((solver) => prepareLater(solver, problem, table)),
      relaxed: relax(problem, atom, table),
      best: new BestAnswer(problem),
      doubtful: new BestAnswer(problem),
    };
  }

  solve(domain: Domain, limits: Limits): Outcome {
    for (const kept of [this.parts.best, this.parts.doubtful]) kept.begin(domain);
    return new NeighbourSearch(this.parts, domain, limits).run();
  }
}

function accepts(problem: Problem, table: SolverTable): 'no' | 'exact' {
  const atom = neighboursOf(problem);
  return atom && relax(problem, atom, table).solvers.length ? 'exact' : 'no';
}

export const neighbours: Solver = {
  name: 'neighbours',
  takesParts: true,
  accepts,
  prepare: (problem, table) => new PreparedNeighbours(problem, neighboursOf(problem)!, table),
};
