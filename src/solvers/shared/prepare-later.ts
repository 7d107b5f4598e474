/** A solver prepared for a problem when it is first needed, once: preparing may take longer than many rows, and most are never asked. */
import type { Problem } from '../../problems/problem.js';
import type { Prepared, Solver, SolverTable } from '../solver.js';

export function prepareLater(solver: Solver, problem: Problem, table: SolverTable): () => Prepared {
  let prepared: Prepared | undefined;
  return () => {
    prepared ??= solver.prepare(problem, table);
    return prepared;
  };
}
