/**
 * Growing Spheres (Laugel et al. 2018): the smallest sphere around the row that has an answer on it, then the cheapest of its answers back to the
 * row, feature by feature (polish/polish.ts). The model is known by its word alone.
 */
import type { Problem } from '../../problems/problem.js';
import type { LadderPlace, Solver } from '../solver.js';
import { generalSolver, polishBest, type SearchParts } from './general-search.js';
import { isOpaque } from './opaque.js';
import type { Asked } from './person-search.js';
import { SphereGrowth } from './sphere-growth.js';

const POLISHED = 3;

function* growSpheres(parts: SearchParts): Asked<void> {
  const { answers } = yield* new SphereGrowth(parts.search).grow();
  yield* polishBest(parts, answers, POLISHED);
}

const place = (problem: Problem): LadderPlace => {
  if (!isOpaque(problem)) return 'by-name';
  return problem.gradient ? 'rescue' : 'rung';
};

export const spheres: Solver = generalSolver('spheres', growSpheres, place);
