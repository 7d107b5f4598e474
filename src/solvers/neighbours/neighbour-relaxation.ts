/** The relaxation of a node: its work, and whether a point keeps what its rows stand for. */
import type { Problem } from '../../problems/problem.js';
import type { Comparisons } from './comparisons.js';
import { type Group, isInside, isOutside, type Pair } from './neighbour-group.js';

/** Work to prepare a relaxation, in units of effort: a fixed part, a part for each column, and a part for each entry of a row. */
const RELAXATION_WORK = 10;
const COLUMN_WORK = 1.5;
const ENTRY_WORK = 0.1;

/** A relaxation is prepared anew for its rows, which takes longer than its solution: twice where features are discrete, and for l0 again. */
export function relaxationWork({ traits, space }: Problem, rows: number): number {
  const programs = 1 + +(traits.discrete || traits.capped) + +(traits.norm === 'l0');
  return programs * (RELAXATION_WORK + space.columns * (COLUMN_WORK + ENTRY_WORK * rows));
}

/** Whether a point keeps the group's pairs. A row that stands for a pair within a box decides where the point is well inside of it. */
export function wordFor(comparisons: Comparisons, { pairs, cuts, box }: Group): Problem['holds'] {
  const further = [...cuts, ...(box?.sides ?? [])];
  return (x) => {
    comparisons.enter(x);
    const isKept = (pair: Pair) => (comparisons.needsBox && isInside(pair.row, x)) || comparisons.isKept(pair);
    return pairs.every(isKept) && further.every((row) => !isOutside(row, x));
  };
}
