/** Which models the general optimisers search without being named. */
import type { AtomKind } from '../../models/region.js';
import type { Problem } from '../../problems/problem.js';

/** Regions that only the model or a condition's word knows, or whose exact search may end early. */
const SEARCHED: readonly AtomKind[] = ['smooth', 'oracle', 'network', 'neighbours', 'condition'];

/** A term of the cost is known by its word as well. */
export const isOpaque = ({ piece, term }: Problem): boolean =>
  Boolean(term) || piece.atoms.some(({ kind }) => SEARCHED.includes(kind));
