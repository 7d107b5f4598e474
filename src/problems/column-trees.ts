/**
 * Trees whose inputs read one column each, as trees that compare the row's own columns. Several inputs may read the same column. The
 * model's own arithmetic finds the last double of each side, so no solver needs to know the steps or their rounding.
 */
import type { LoadedModel } from '../models/load.js';
import type { SingleReads } from '../models/preprocessing.js';
import type { Atom, Piece, TreesAtom } from '../models/region.js';
import { onColumns } from '../models/trees/forest-columns.js';
import { type Forest, ranksOf } from '../models/trees/tree.js';

/** By model: its trees on columns. A model has one goal per class, and all goals share the trees. */
const rewritten = new WeakMap<LoadedModel, Forest>();

/** The same piece on columns. Unchanged if a step mixes columns. */
export function onOwnColumns({ rows, atoms }: Piece, loaded: LoadedModel): Piece {
  return { rows, atoms: atoms.map((atom) => (atom.kind === 'trees' ? readColumns(atom, loaded) : atom)) };
}

/**
 * Where trees compare inputs that read one column each: the column and the value of each input. Null: an input reads several columns, or a
 * matrix spreads a missing value over all inputs.
 */
export function readsOf({ preprocessing, model }: LoadedModel): SingleReads | null {
  const { single, runColumn } = preprocessing;
  return runColumn || !model.takesMissing ? single : null;
}

/** Nodes and gains keep their numbers. */
function readColumns(atom: TreesAtom, loaded: LoadedModel): Atom {
  const { imputed, curves } = loaded.preprocessing;
  const reads = readsOf(loaded);
  if (!reads || (!atom.map && !curves)) return atom;
  const forest = rewritten.get(loaded) ?? onColumns(atom.forest, reads, ranksOf(loaded.space));
  rewritten.set(loaded, forest);
  return { ...atom, forest, map: null, imputed };
}
