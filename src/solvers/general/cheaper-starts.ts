/**
 * Starts that are cheaper than the best answer: points at a fraction of the cost of the answer, evaluated in one batch. The points with the largest margins
 * are nearest to the region. A descent from such a point ends in another part of the boundary than earlier descents.
 *
 *   every number alone, up and down; every open category alone; a few features together, at random
 */
import type { Feature } from '../../models/features.js';
import type { Asked, Look, PersonSearch } from './person-search.js';
import { pointOnSphere } from './sphere-growth.js';

const SHARE = 0.9;
const RANDOM = 48;
const TRIALS = 3;
const SHORTER = 0.7;

/** The most promising starts, those with the largest margin first. */
export function* cheaperStarts(search: PersonSearch, most: number): Asked<Look[]> {
  const below = SHARE * search.best.cost;
  if (!(below < Infinity)) return [];
  const points = [
    ...search.free.flatMap((feature) => [...alone(search, feature, below)]),
    ...Array.from({ length: RANDOM }, () => atCost(search, (radius) => pointOnSphere(search, radius, true), below)),
  ];
  const looks = yield* search.ask(points.filter((point) => point !== null));
  return looks.sort((a, b) => b.margin - a.margin).slice(0, most);
}

/** Points that differ from home in one feature and cost less than a bound. */
function* alone(search: PersonSearch, feature: Feature, below: number): Generator<Float64Array> {
  const { home, domain, scale } = search;
  const { column, width, kind } = feature;
  if (kind === 'choice') {
    for (let c = column; c < column + width; c++) {
      if (!(domain.upper[c] > 0) || home[c] === 1) continue;
      const point = home.slice();
      point.fill(0, column, column + width)[c] = 1;
      if (search.costOf(point) < below && search.keeps(point)) yield point;
    }
    return;
  }
  for (const side of [1, -1]) {
    const moved = (radius: number) =>
      search.place(home.with(column, domain.origin[column] + side * radius * scale[column]));
    const point = atCost(search, moved, below);
    if (point && point[column] !== home[column]) yield point;
  }
}

/** The first of the points at shrinking radii that costs less than a bound. Null: there is none. */
function atCost(
  search: PersonSearch,
  pointAt: (radius: number) => Float64Array | null,
  below: number,
): Float64Array | null {
  let radius = radiusOf(search, below);
  for (let k = 0; k < TRIALS; k++, radius *= SHORTER) {
    const point = pointAt(radius);
    if (point && search.costOf(point) < below) return point;
  }
  return null;
}

/** The length of a move that has a given cost, in cost lengths. */
function radiusOf(search: PersonSearch, cost: number): number {
  const { norm } = search.problem.cost;
  if (norm === 'l0') return search.span(search.best.x);
  return norm === 'l2' || norm === 'mahalanobis' ? Math.sqrt(cost) : cost;
}
