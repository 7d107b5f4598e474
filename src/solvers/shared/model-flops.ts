/** What a look at the model takes, for searches that count their work in looks. */
import type { Problem } from '../../problems/problem.js';

/** Operations for one word of the model, and for a term of the cost, about. */
export function modelFlops({ piece, space, term }: Problem): number {
  const d = space.columns;
  const perAtom = piece.atoms.map((atom) => {
    if (atom.kind === 'trees') return 70 * atom.forest.root.length;
    if (atom.kind === 'neighbours') return 2 * atom.nearest.samples.length;
    if (atom.kind === 'network')
      return 2 * atom.layers.reduce((sum, { weights }) => sum + weights.length * weights[0].length, 0);
    if (atom.kind === 'quadratic') return 2 * d * d;
    if (atom.kind === 'exp-quadratics') return 2 * d * d * atom.forms.length;
    return atom.kind === 'exp-sum' ? atom.exponents.length * d : 1000;
  });
  return perAtom.reduce((sum, flops) => sum + flops, piece.rows.length * d + (term?.flops ?? 0));
}
