/**
 * The condition that branch-plausible.ts removes from a problem: one sum over trees that read plain columns.
 *
 *   Σ over trees of the value at the leaf >= need,   splits are `column <= threshold`
 */
import type { TreesAtom } from '../../models/region.js';
import type { Forest } from '../../models/trees/tree.js';
import { type Problem, withPiece } from '../../problems/problem.js';
import { soleTrees } from '../trees/cells/cells.js';

export interface PlausibleCondition {
  readonly forest: Forest;
  readonly need: number;
  /** The problem without the condition. */
  readonly rest: Problem;
}

/** Null: the problem has no such condition, or its region is made of trees. */
export function conditionOf(problem: Problem): PlausibleCondition | null {
  const { rows, atoms } = problem.piece;
  if (soleTrees(problem)) return null;
  const own = atoms.findIndex((atom) => atom.kind === 'trees' && atom.imputed !== undefined);
  if (own < 0) return null;
  const { forest, margins } = atoms[own] as TreesAtom;
  if (margins.length !== 1 || margins[0].gain !== forest.value) return null;
  const rest = withPiece({ ...problem, holds: problem.reaches }, { rows, atoms: atoms.toSpliced(own, 1) });
  return { forest, need: margins[0].need, rest };
}
