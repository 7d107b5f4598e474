/**
 * A piece whose points must be plausible as well: one more atom of the conjunction. Where the piece is made of trees that read
 * columns one by one, the two atoms become one sum over trees, and every method for trees keeps both.
 */
import type { Piece, TreesAtom } from '../models/region.js';
import { type ColumnInput, onColumns } from '../models/trees/forest-columns.js';
import { uniteForests } from '../models/trees/forest-union.js';

/** `input`: what reaches the model of a column's value. */
export function withPlausibility({ rows, atoms }: Piece, plausible: TreesAtom, input: ColumnInput): Piece {
  const own = atoms.length === 1 && atoms[0].kind === 'trees' ? readingColumns(atoms[0], input) : null;
  return { rows, atoms: own ? [uniteForests(own, plausible)] : [...atoms, plausible] };
}

/** The same condition by trees that compare plain columns; null where a step mixes columns. */
function readingColumns(atom: TreesAtom, input: ColumnInput): TreesAtom | null {
  if (!atom.map) return atom;
  const forest = atom.map.diagonal ? onColumns(atom.forest, input) : null;
  // Sides may have been swapped, nodes keep their numbers: gains stay where they are.
  return forest && { ...atom, forest, map: null };
}
