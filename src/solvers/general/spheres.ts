/**
 * Growing Spheres (Laugel et al. 2018): finds the smallest sphere around the row that has an answer, then puts features of its cheapest answer back to
 * the row one by one (polish/polish.ts). Only the decisions of the model are needed. If no sphere has an answer and the model is computed in this process,
 * single features are scanned (coordinate-scan.ts).
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
/** Starts of scans: rows of the training set, and points on spheres of growing radius. */
const SAMPLE_STARTS = 8;
const SPHERE_STARTS = Array.from({ length: 8 }, (_, k) => 2 ** (k - 3));

function* growSpheres(parts: SearchParts): Asked<void> {
  const { answers } = yield* new SphereGrowth(parts.search).grow();
  const isMissed = !answers.length && !isOracle(parts.search.problem);
  yield* polishBest(parts, isMissed ? yield* scan(parts) : answers, POLISHED);
}

/** True if the model is computed in this process: many small batches cost no round trips. */
function* scan({ search, samples }: SearchParts): Asked<Look[]> {
  const rows = yield* samples.nearest(search, SAMPLE_STARTS);
  const points = SPHERE_STARTS.flatMap((radius) => pointOnSphere(search, radius, false) ?? []);
  return yield* scanCoordinates(search, [search.home, ...rows, ...points]);
}

/** Where the region is known an exact search may end early, with the answers that it would have found later. */
const place = (problem: Problem): LadderPlace => (isOpaque(problem) && !problem.gradient ? 'rung' : 'rescue');

export const spheres: Solver = generalSolver('spheres', growSpheres, place);
