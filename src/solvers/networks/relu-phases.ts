/**
 * Exact answers for networks of relu units: branch and bound over the phases of units (phase-search.ts), around the table's solver of
 * linear rows.
 *
 * The method accepts every cost, integers, steps, categories, links, alternatives and caps that the inner solver accepts. The number of
 * nodes grows with the units that can change their phase within the incumbent's cost. Source: Mohammadi et al. (2021) and Tjeng et al.
 * (2019), whose big-M program is branched on here without its lifted variables.
 */
import type { NetworkAtom } from '../../models/region.js';
import type { Domain } from '../../policy/domain.js';
import { onlyAtoms, type Problem } from '../../problems/problem.js';
import { RelaxedProblems } from '../reductions/relaxed-problems.js';
import { BestAnswer } from '../shared/best-answer.js';
import type { Limits, Outcome, Prepared, Solver, SolverTable } from '../solver.js';
import { HeadConditions } from './head-conditions.js';
import { LinearReach } from './linear-reach.js';
import { type PhaseParts, PhaseSearch } from './phase-search.js';
import { ReluNetwork } from './relu-network.js';

class PreparedReluPhases implements Prepared {
  private readonly parts: PhaseParts;

  constructor(problem: Problem, table: SolverTable) {
    const [atom] = onlyAtoms(problem, 'network');
    const network = new ReluNetwork(atom, problem.space.columns);
    this.parts = {
      problem,
      network,
      head: new HeadConditions(atom.head),
      reach: new LinearReach(problem),
      relaxed: relax(problem, table),
      best: new BestAnswer(problem),
    };
  }

  solve(domain: Domain, limits: Limits): Outcome {
    this.parts.best.begin(domain);
    return new PhaseSearch(this.parts, domain, limits).run();
  }
}

const relax = (problem: Problem, table: SolverTable) => new RelaxedProblems(problem, [], [], table);

function accepts(problem: Problem, table: SolverTable): 'no' | 'exact' {
  const atoms = onlyAtoms(problem, 'network');
  const fits = atoms.length === 1 && isDescribed(atoms[0]);
  return fits && relax(problem, table).solvers.length ? 'exact' : 'no';
}

/** With more units even one evaluation of all units takes longer than the budget of a row. The general optimisers take these networks. */
const MOST_UNITS = 10_000;

const isDescribed = ({ head, layers }: NetworkAtom): boolean =>
  layers.reduce((sum, { bias }) => sum + bias.length, 0) <= MOST_UNITS && HeadConditions.fits(head);

export const reluPhases: Solver = {
  name: 'relu-phases',
  takesParts: true,
  accepts,
  prepare: (problem, table) => new PreparedReluPhases(problem, table),
};
