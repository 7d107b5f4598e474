/**
 * Prepares a solver for a problem on first use, once. Preparing may take longer than many rows, and most prepared solvers are never asked.
 */
import type { Problem } from '../../problems/problem.js';
import type { Prepared, Solver, SolverTable } from '../solver.js';

/** The prepared solver is a field, so that the memory of a plan can be counted. */
export interface PrepareLater {
  (): Prepared;
  prepared?: Prepared;
}

export function prepareLater(solver: Solver, problem: Problem, table: SolverTable): PrepareLater {
  const later: PrepareLater = () => {
    later.prepared ??= solver.prepare(problem, table);
    return later.prepared;
  };
  return later;
}
