/** The relaxation of a node: its work, and whether a point keeps the conditions that the rows relax. */
import type { Problem } from '../../problems/problem.js';
import type { Comparisons } from './comparisons.js';
import { type Group, isInside, isOutside, type Pair } from './neighbour-group.js';

/** Work to prepare a relaxation, in units of effort: a fixed part, a part for each column, and a part for each entry of a row. */
const RELAXATION_WORK = 10;
const COLUMN_WORK = 1.5;
const ENTRY_WORK = 0.1;

/** The work of preparing a relaxation, which is more than the work of solving it. The work doubles for discrete features, and again for l0. */
export function relaxationWork({ traits, space }: Problem, rows: number): number {
  const programs = 1 + +(traits.discrete || traits.capped) + +(traits.norm === 'l0');
  return programs * (RELAXATION_WORK + space.columns * (COLUMN_WORK + ENTRY_WORK * rows));
}

/** Whether a point keeps the pairs of a group. A point that is well inside the row of a pair keeps the pair. */
export function wordFor(comparisons: Comparisons, { pairs, cuts, box }: Group): Problem['holds'] {
  const further = [...cuts, ...(box?.sides ?? [])];
  return (x) => {
    comparisons.enter(x);
    const isKept = (pair: Pair) => (comparisons.needsBox && isInside(pair.row, x)) || comparisons.isKept(pair);
    return pairs.every(isKept) && further.every((row) => !isOutside(row, x));
  };
}
