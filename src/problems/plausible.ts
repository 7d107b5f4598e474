/**
 * A piece whose points must be plausible as well: one more atom of the conjunction. Where the piece is made of trees, the two atoms
 * become one sum over trees, and every method for trees keeps both. Behind a step that mixes columns the trees of both compare the
 * model's inputs and, after these, the columns.
 */
import { withSource } from '../linalg/affine.js';
import type { Piece, TreesAtom } from '../models/region.js';
import { uniteForests } from '../models/trees/forest-union.js';

export function withPlausibility({ rows, atoms }: Piece, plausible: TreesAtom): Piece {
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
