/**
 * k nearest neighbours: best-first search over sets of neighbours. Relaxations are solved by an exact solver of linear rows from the table.
 *
 *   min cost(x' - x)   s.t.   the labels of the k samples nearest to x' reach the goal,   domain, links, clauses
 *
 * With the Euclidean metric and equal weights the region is a union of polyhedra, one for each set of neighbours. The rows of a polyhedron are bisectors of
 * two samples (bisectors.ts). There are too many sets to list, and too many rows in each. The search adds a row when a point violates the row, and divides
 * sets only where they differ at that point (neighbour-search.ts). For the Manhattan metric (ramps.ts) and votes by distance (distance-votes.ts),
 * rows are valid within boxes of the model's inputs, and boxes are divided where rows are not tight enough. The inner solver handles every norm, lattice,
 * category, link and cap.
 *
 * Limits: the number of sets grows with the number of neighbours. The budget may end the search. The smallest open bound is then the lower bound.
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

/** The solver of first answers, which starts from the samples. */
const fromSamples: Solver = {
  ...nearest,
  prepare: (problem, table) =>
    nearest.prepare({ ...problem, samples: sampleRows(neighboursOf(problem)!, problem) }, table),
};

/** The solvers for the relaxations. The bisector of two samples is the example row that the solvers must accept. */
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
