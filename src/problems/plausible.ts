/**
 * A piece whose points must also be plausible: one more atom of the conjunction. Where the piece is made of trees, the two atoms become one
 * sum over trees, and every method for trees respects both. Behind a step that mixes columns the trees of both compare the model's inputs
 * and, after these, the columns. Quadratics stay quadratics beside rows, quadratics and sums of exponentials. Elsewhere the condition can
 * only be evaluated.
 */
import { withSource } from '../linalg/affine.js';
import type { AtomKind, Piece, TreesAtom } from '../models/region.js';
import { uniteForests } from '../models/trees/forest-union.js';
import type { PlausibilityLimit } from '../policy/plausibility/plausibility-measure.js';

/** Atoms that exact methods accept together with quadratics. */
const CURVED: readonly AtomKind[] = ['quadratic', 'exp-quadratics', 'exp-sum'];

export function withLimit(piece: Piece, limit: PlausibilityLimit): Piece {
  const { atom } = limit;
  if (atom?.kind === 'trees') return withTrees(piece, atom);
  const isDescribed = atom && piece.atoms.every(({ kind }) => CURVED.includes(kind));
  const meets = (columns: Float64Array) => limit.holds(columns);
  return {
    rows: piece.rows,
    atoms: [...piece.atoms, isDescribed ? atom : { kind: 'condition', flops: limit.flops, meets }],
  };
}

function withTrees({ rows, atoms }: Piece, plausible: TreesAtom): Piece {
  const own = atoms.length === 1 && atoms[0].kind === 'trees' ? atoms[0] : null;
  if (!own) return { rows, atoms: [...atoms, plausible] };
  return { rows, atoms: [own.map ? behindStep(own, plausible) : uniteForests(own, plausible)] };
}

function behindStep(own: TreesAtom, { imputed, ...plausible }: TreesAtom): TreesAtom {
  const map = withSource(own.map!, imputed!.length);
  const inputs = own.map!.offset.length;
  const forest = { ...plausible.forest, feature: plausible.forest.feature.map((column) => inputs + column) };
  return { ...uniteForests(own, { ...plausible, forest }), map };
}
