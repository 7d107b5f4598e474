/**
 * Decides whether the point of a solver is an answer, for engines that work with tolerances. Lattice values are first put exactly on their
 * lattice points. Then the policy's rows, the number of changes and the model itself are checked.
 */
import type { LinearRow } from '../../models/region.js';
import type { Domain } from '../../policy/domain.js';
import { hasMoved, nearestValue } from '../../policy/values.js';
import type { Problem } from '../../problems/problem.js';
import { keepsLink } from './linear-rows.js';

/** Puts steps and categories exactly on the values that the engine means. Decimals are rounded later, when an answer is reported. */
export function snapColumns({ space }: Problem, domain: Domain, x: Float64Array): void {
  for (const feature of space.features) {
    const { kind, column, width, index } = feature;
    if (kind === 'choice') for (let c = column; c < column + width; c++) x[c] = Math.round(x[c]);
    else if (domain.step[index] > 0) x[column] = nearestValue(domain, feature, x[column]);
  }
}

export const isAnswer = (problem: Problem, domain: Domain, x: Float64Array): boolean =>
  keepsPolicy(problem, domain, x) && problem.holds(x);

/** A row that reads a missing number does not hold. A missing category equals none of the categories. */
export function keepsPolicy(problem: Problem, { origin }: Domain, x: Float64Array): boolean {
  const to = noneForMissing(problem, x);
  const kept = (row: LinearRow) => keepsLink(row, to);
  const changes = problem.space.features.filter((feature) => hasMoved(feature, origin, x)).length;
  const inPolicy = changes <= problem.maxChanges && problem.links.every(kept);
  return inPolicy && problem.clauses.every((clause) => clause.rows.some(kept));
}

function noneForMissing({ space }: Problem, columns: Float64Array): Float64Array {
  if (!columns.some(Number.isNaN)) return columns;
  const isCategory = (c: number) => space.features[space.owner[c]].kind === 'choice';
  return columns.map((value, c) => (Number.isNaN(value) && isCategory(c) ? 0 : value));
}
