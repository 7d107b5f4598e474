/** The cost of one look at the model, for searches that count their work in looks. */
import type { Problem } from '../../problems/problem.js';

/** A lower bound for an atom whose operations are unknown. */
const LEAST_FLOPS = 1000;
/** A condition is evaluated once for `holds` and once for its margin. */
const CONDITION_LOOKS = 2;

/** A power or a logarithm. */
const CURVE_FLOPS = 40;

/** The approximate number of operations for one evaluation of the model and of a term of the cost. */
export function modelFlops({ piece, space, term }: Problem): number {
  const d = space.columns;
  const perAtom = piece.atoms.map((atom) => {
    if (atom.kind === 'trees') return 70 * atom.forest.root.length;
    if (atom.kind === 'neighbours') return 2 * atom.nearest.samples.length;
    if (atom.kind === 'network')
      return 2 * atom.layers.reduce((sum, { weights }) => sum + weights.length * weights[0].length, 0);
    if (atom.kind === 'condition') return Math.max(LEAST_FLOPS, CONDITION_LOOKS * atom.flops);
    if (atom.kind === 'quadratic') return 2 * d * d;
    if (atom.kind === 'exp-quadratics') return 2 * d * d * atom.forms.length;
    if (atom.kind === 'additive') return CURVE_FLOPS * d;
    return atom.kind === 'exp-sum' ? atom.exponents.length * d : LEAST_FLOPS;
  });
  return perAtom.reduce((sum, flops) => sum + flops, piece.rows.length * d + (term?.flops ?? 0));
}
