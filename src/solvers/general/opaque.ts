/** The models for which `auto` uses the general optimisers. */
import type { AtomKind } from '../../models/region.js';
import type { Problem } from '../../problems/problem.js';

/** Regions without a closed form, and regions whose exact search may end early. */
const SEARCHED: readonly AtomKind[] = ['smooth', 'oracle', 'network', 'neighbours', 'condition', 'additive'];

/** A term of the cost is also known at points only. */
export const isOpaque = ({ piece, term }: Problem): boolean =>
  Boolean(term) || piece.atoms.some(({ kind }) => SEARCHED.includes(kind));
