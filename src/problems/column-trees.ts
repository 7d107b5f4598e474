/**
 * Trees behind steps that keep columns apart, as trees that compare the row's own columns. The last double of each side is found by the
 * model's own arithmetic, so that no solver has to know of the steps, nor of their rounding.
 */
import type { LoadedModel } from '../models/load.js';
import type { Atom, Piece, TreesAtom } from '../models/region.js';
import { onColumns } from '../models/trees/forest-columns.js';
import { type Forest, ranksOf } from '../models/trees/tree.js';

/** By model: its trees on columns. A model has as many goals as it has classes, and its trees stay. */
const rewritten = new WeakMap<LoadedModel, Forest>();

/** The same piece on columns; as it is where a step mixes columns. */
export function onOwnColumns({ rows, atoms }: Piece, loaded: LoadedModel): Piece {
  return { rows, atoms: atoms.map((atom) => (atom.kind === 'trees' ? readColumns(atom, loaded) : atom)) };
}

/** Nodes keep their numbers, and so do gains. */
function readColumns(atom: TreesAtom, loaded: LoadedModel): Atom {
  const { runColumn, imputed } = loaded.preprocessing;
  if (!atom.map || !runColumn) return atom;
  const forest = rewritten.get(loaded) ?? onColumns(atom.forest, runColumn, ranksOf(loaded.space));
  rewritten.set(loaded, forest);
  return { ...atom, forest, map: null, imputed };
}
