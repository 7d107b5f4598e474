/**
 * Growing Spheres (Laugel et al. 2018): the smallest sphere around the row that has an answer on it, then the cheapest of its answers back to the
 * row, feature by feature (polish/polish.ts). The model is known by its word alone. Where no sphere has an answer and the model answers at once, single
 * features are scanned (coordinate-scan.ts).
 */
import type { Problem } from '../../problems/problem.js';
import { isOracle } from '../shared/side-by-side.js';
import type { LadderPlace, Solver } from '../solver.js';
import { scanCoordinates } from './coordinate-scan.js';
import { generalSolver, polishBest, type SearchParts } from './general-search.js';
import { isOpaque } from './opaque.js';
import type { Asked, Look } from './person-search.js';
import { pointOnSphere, SphereGrowth } from './sphere-growth.js';

const POLISHED = 3;
/** Starts of scans: rows of the training set, and points of spheres of growing radius. */
const SAMPLE_STARTS = 8;
const SPHERE_STARTS = Array.from({ length: 8 }, (_, k) => 2 ** (k - 3));

function* growSpheres(parts: SearchParts): Asked<void> {
  const { answers } = yield* new SphereGrowth(parts.search).grow();
  const isMissed = !answers.length && !isOracle(parts.search.problem);
  yield* polishBest(parts, isMissed ? yield* scan(parts) : answers, POLISHED);
}

/** The model answers at once: many single questions are no loss. */
function* scan({ search, samples }: SearchParts): Asked<Look[]> {
  const rows = yield* samples.nearest(search, SAMPLE_STARTS);
  const points = SPHERE_STARTS.flatMap((radius) => pointOnSphere(search, radius, false) ?? []);
  return yield* scanCoordinates(search, [search.home, ...rows, ...points]);
}

const place = (problem: Problem): LadderPlace => {
  if (!isOpaque(problem)) return 'by-name';
  return problem.gradient ? 'rescue' : 'rung';
};

export const spheres: Solver = generalSolver('spheres', growSpheres, place);
