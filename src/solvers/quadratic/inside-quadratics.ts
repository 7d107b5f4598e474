/**
 * Quadratics that imply sums of exponentials, for methods that search answers along quadratics:
 *
 *   Σ_j exp w_j <= 1   if   w_j <= -log n  for all n exponents         Σ_j exp w_j >= 1   if   w_j >= 0  for one of them
 *
 * The model confirms every answer, so the quadratics need not cover the whole region.
 */
import { DistanceDifference } from '../../models/distance-difference.js';
import type { Atom, ExpQuadratics, QuadraticAtom } from '../../models/region.js';
import { type Problem, withPiece } from '../../problems/problem.js';

export const hasQuadratics = ({ piece }: Problem): boolean =>
  piece.atoms.some(({ kind }) => kind === 'quadratic' || kind === 'exp-quadratics');

/** The problem with quadratics in place of its sums of exponentials. A problem without sums stays unchanged. */
export function withInsideQuadratics(problem: Problem): Problem {
  const { rows, atoms } = problem.piece;
  if (!atoms.some(({ kind }) => kind === 'exp-quadratics')) return problem;
  return withPiece(problem, { rows, atoms: atoms.flatMap((atom) => insideOf(atom)) });
}

function insideOf(atom: Atom): Atom[] {
  if (atom.kind !== 'exp-quadratics') return [atom];
  return atom.atLeast ? [largeAlone(atom)] : atom.forms.map((form) => withinShare(form, atom.forms.length));
}

/** 2 w_j + 2 log n <= 0 */
function withinShare({ near, far, constant, map, size }: DistanceDifference, count: number): QuadraticAtom {
  const more = 2 * Math.log(count);
  return { kind: 'quadratic', form: new DistanceDifference(near, far, constant + more, map, size + more) };
}

/** -2 w_0 <= 0 */
function largeAlone({ forms: [{ near, far, constant, map, size }] }: ExpQuadratics): QuadraticAtom {
  return { kind: 'quadratic', form: new DistanceDifference(far, near, -constant, map, size) };
}
