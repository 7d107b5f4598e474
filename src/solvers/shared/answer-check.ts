/**
 * Whether a solver's point is an answer, where its engine works with tolerances: lattice values are put exactly on their
 * points first, then the policy's own rows, the number of changes and the model itself are asked.
 */
import type { Feature } from '../../models/features.js';
import type { LinearRow } from '../../models/region.js';
import type { Domain } from '../../policy/domain.js';
import type { Problem } from '../../problems/problem.js';
import { linkSlack, violation } from './linear-rows.js';

/** Lattice values and categories exactly on their points. */
export function snapColumns({ space }: Problem, { origin, step }: Domain, x: Float64Array): void {
  for (const { kind, column, width, index } of space.features) {
    for (let c = column; c < column + width; c++) {
      if (kind === 'choice') x[c] = Math.round(x[c]);
      else if (step[index] > 0) x[c] = origin[c] + step[index] * Math.round((x[c] - origin[c]) / step[index]);
    }
  }
}

/** A missing number keeps no row that reads it; a missing category is none of them. */
export function isAnswer(problem: Problem, { origin }: Domain, x: Float64Array): boolean {
  const [from, to] = [origin, x].map((columns) => noneForMissing(problem, columns));
  const kept = (row: LinearRow) => violation(row, to) <= 10 * linkSlack(row, from);
  const changes = problem.space.features.filter((feature) => isMoved(feature, origin, x)).length;
  const inPolicy = changes <= problem.maxChanges && problem.links.every(kept);
  return inPolicy && problem.clauses.every((clause) => clause.rows.some(kept)) && problem.holds(x);
}

function noneForMissing({ space }: Problem, columns: Float64Array): Float64Array {
  if (!columns.some(Number.isNaN)) return columns;
  const isCategory = (c: number) => space.features[space.owner[c]].kind === 'choice';
  return columns.map((value, c) => (Number.isNaN(value) && isCategory(c) ? 0 : value));
}

/** A move of this size, relative, is rounding and not a change. */
const NO_CHANGE = 1e-12;

function isMoved({ column, width }: Feature, origin: Float64Array, x: Float64Array): boolean {
  for (let c = column; c < column + width; c++) {
    if (Math.abs(x[c] - origin[c]) > NO_CHANGE * Math.max(1, Math.abs(origin[c]))) return true;
  }
  return false;
}
