/** Which models the general optimisers search without being named. */
import type { AtomKind } from '../../models/region.js';
import type { Problem } from '../../problems/problem.js';

/** Regions that only the model or a condition's word knows, or whose exact search may end early. */
const SEARCHED: readonly AtomKind[] = ['smooth', 'oracle', 'network', 'neighbours', 'condition'];

export const isOpaque = ({ piece }: Problem): boolean => piece.atoms.some(({ kind }) => SEARCHED.includes(kind));
