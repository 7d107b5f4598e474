/**
 * A problem whose answers must be plausible as well. Where the region is made of trees that read columns one by one, the two
 * become one sum over trees and every method for trees keeps it; elsewhere the condition stands beside the region, and
 * only methods that know of it may take the problem.
 */

import type { AdditiveTreesPiece } from '../models/region.js';
import { type ColumnInput, onColumns } from '../models/trees/forest-columns.js';
import { uniteForests } from '../models/trees/forest-union.js';
import type { Plausibility } from '../policy/plausibility.js';
import type { Problem } from './problem.js';

/** `rest`: the problem without the condition; `input`: what reaches the model of a column's value. */
export function withPlausibility(rest: Problem, plausibility: Plausibility, input: ColumnInput): Problem {
  const holds = (columns: Float64Array) => plausibility.holds(columns) && rest.holds(columns);
  const trees = rest.piece.kind === 'additive-trees' ? readingColumns(rest.piece, input) : null;
  return trees
    ? { ...rest, piece: uniteForests(trees, plausibility.piece), holds }
    : { ...rest, holds, plausible: { forest: plausibility.forest, need: plausibility.need, rest } };
}

/** The same region by trees that compare plain columns; null where a step mixes columns. */
function readingColumns(piece: AdditiveTreesPiece, input: ColumnInput): AdditiveTreesPiece | null {
  if (!piece.map) return piece;
  const forest = piece.map.diagonal ? onColumns(piece.forest, input) : null;
  // Sides may have been swapped, nodes keep their numbers: gains stay where they are.
  return forest && { ...piece, forest, map: null };
}
