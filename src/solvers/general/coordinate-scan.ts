/**
 * A scan of the margin along single features, for rows for which random points find no answer. The region may be far narrower than its
 * distance from the row.
 *
 *   categories and ranks      all values that the domain allows
 *   numbers                   the start ± s 2^j,  j = -8 ... 8,  and the ends of the domain;  then sections around the largest margins
 *
 * A scan keeps the point with the largest margin and continues with the next feature from that point. The scan ends when no feature improves the margin, or at an answer.
 */
import type { Feature } from '../../models/features.js';
import { listedValues } from '../../policy/listed-values.js';
import type { Asked, Look, PersonSearch } from './person-search.js';

const EXPONENTS = Array.from({ length: 17 }, (_, j) => j - 8);
const SWEEPS = 4;
/** The number of local maxima along a feature that are refined, and the number of bisections around each. */
const PEAKS = 3;
const SECTIONS = 12;
/** The share of the remaining work that the scans may use. */
const SHARE = 0.5;

/** The first answers that a scan finds. Empty: no start led to an answer. */
export function* scanCoordinates(search: PersonSearch, starts: readonly Float64Array[]): Asked<Look[]> {
  const { budget } = search.limits;
  const reserve = (1 - SHARE) * budget.left;
  for (const start of starts) {
    if (search.isOver || budget.left < reserve) return [];
    const answers = yield* scanFrom(search, start, reserve);
    if (answers.length) return answers;
  }
  return [];
}

function* scanFrom(search: PersonSearch, start: Float64Array, reserve: number): Asked<Look[]> {
  let at = yield* search.askOne(start);
  if (at.isAnswer) return [at];
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const before = at.margin;
    for (const feature of search.free) {
      if (search.isOver || search.limits.budget.left < reserve) return [];
      const looks = yield* scanFeature(search, at, feature);
      const answers = looks.filter(({ isAnswer }) => isAnswer);
      if (answers.length) return answers;
      at = looks.reduce((best, look) => (look.margin > best.margin ? look : best), at);
    }
    if (!(at.margin > before)) break;
  }
  return [];
}

/** Evaluates points that differ from a given point in one feature. */
function* scanFeature(search: PersonSearch, at: Look, feature: Feature): Asked<Look[]> {
  const points = feature.kind === 'choice' ? categoriesFrom(search, at.x, feature) : numbersFrom(search, at.x, feature);
  const looks = yield* search.ask(points);
  if (feature.kind === 'choice' || looks.some(({ isAnswer }) => isAnswer)) return looks;
  const { column } = feature;
  const line = [...looks, at].sort((a, b) => a.x[column] - b.x[column]);
  const found = [...looks];
  for (const peak of peaksOf(line)) {
    const look = yield* climbPeak(search, line.slice(Math.max(0, peak - 1), peak + 2), column);
    found.push(look);
    if (look.isAnswer) break;
  }
  return found;
}

function categoriesFrom(search: PersonSearch, x: Float64Array, feature: Feature): Float64Array[] {
  const { column, width } = feature;
  return listedValues(search.domain, feature).flatMap((category) => {
    const point = x.slice();
    point.fill(0, column, column + width)[column + category] = 1;
    return search.place(point) ?? [];
  });
}

function numbersFrom(search: PersonSearch, x: Float64Array, { column }: Feature): Float64Array[] {
  const { domain, scale } = search;
  const steps = EXPONENTS.map((j) => scale[column] * 2 ** j);
  const values = [...steps.flatMap((step) => [x[column] + step, x[column] - step]), domain.origin[column]];
  const ends = [domain.lower[column], domain.upper[column]].filter(Number.isFinite);
  const placed = [...values, ...ends].flatMap((value) => search.place(x.with(column, value)) ?? []);
  return [...new Map(placed.map((point) => [point.join(), point])).values()];
}

/** The indexes of the largest local maxima of the margin. */
function peaksOf(line: readonly Look[]): number[] {
  const margin = (k: number) => line[k]?.margin ?? Number.NEGATIVE_INFINITY;
  return [...line.keys()]
    .filter((k) => margin(k) >= margin(k - 1) && margin(k) >= margin(k + 1))
    .sort((a, b) => margin(b) - margin(a))
    .slice(0, PEAKS);
}

/** Bisects the intervals beside the largest margin of a few points on a line, and keeps the side with the larger margin. */
function* climbPeak(search: PersonSearch, around: readonly Look[], column: number): Asked<Look> {
  let best = around.reduce((a, b) => (b.margin > a.margin ? b : a));
  let [low, high] = [around[0].x[column], around.at(-1)!.x[column]];
  for (let k = 0; k < SECTIONS && !best.isAnswer && !search.isOver; k++) {
    const here = best.x[column];
    const middles = [(low + here) / 2, (here + high) / 2].filter((value) => value !== here);
    const points = middles.flatMap((value) => search.place(best.x.with(column, value)) ?? []);
    const looks = yield* search.ask(points);
    const next = looks.find(({ isAnswer }) => isAnswer) ?? looks.reduce((a, b) => (b.margin > a.margin ? b : a), best);
    if (next.isAnswer) return next;
    if (next === best) [low, high] = [middles[0] ?? low, middles.at(-1) ?? high];
    else [low, high] = next.x[column] < here ? [low, here] : [here, high];
    best = next;
  }
  return best;
}
