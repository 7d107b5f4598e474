/**
 * A piece whose points must be plausible as well: one more atom of the conjunction. Where the piece is made of trees that read
 * columns one by one, the two atoms become one sum over trees, and every method for trees keeps both.
 */
import type { Piece, TreesAtom } from '../models/region.js';
import { uniteForests } from '../models/trees/forest-union.js';

export function withPlausibility({ rows, atoms }: Piece, plausible: TreesAtom): Piece {
  const own = atoms.length === 1 && atoms[0].kind === 'trees' && !atoms[0].map ? atoms[0] : null;
  return { rows, atoms: own ? [uniteForests(own, plausible)] : [...atoms, plausible] };
}
