/**
 * A genetic search after CERTIFAI (Sharma et al. 2020), for mixed features:
 *
 *   a generation is evaluated in one batch;  the fittest survive: answers before other points, cheaper answers first, then larger margins
 *   a child takes each feature from one of two parents, or from the row; some features are mutated
 *
 * Children are placed in the domain and repaired to keep the policy before the model scores them. The first generation has points on spheres
 * around the row, and rows of the training set that have the target.
 */
import type { Feature } from '../../models/features.js';
import type { Problem } from '../../problems/problem.js';
import type { LadderPlace, Solver } from '../solver.js';
import { generalSolver, polishBest, type SearchParts } from './general-search.js';
import { isOpaque } from './opaque.js';
import { type Asked, isSamePoint, type Look, type PersonSearch } from './person-search.js';
import { chooseAny, SphereGrowth } from './sphere-growth.js';

const POPULATION = 64;
const GENERATIONS = 60;
/** The search ends after this many generations without a cheaper answer. */
const PATIENCE = 8;
const SAMPLES = 24;
const POLISHED = 3;
/** Probabilities for each feature: taken from the row; mutated; for a mutated number, moved towards the row instead of at random. */
const FROM_ROW = 0.15;
const MUTATED = 0.15;
const DRAWN = 0.5;

function* evolve(parts: SearchParts): Asked<void> {
  const { search, samples } = parts;
  const { answers, others, radius } = yield* new SphereGrowth(search).grow();
  const starts = yield* samples.nearest(search, SAMPLES);
  let population = fittest(search, [...answers, ...others, ...(yield* search.ask(starts))]);
  let best = search.best.cost;
  for (let k = 0, idle = 0; k < GENERATIONS && idle < PATIENCE && population.length && !search.isOver; k++) {
    const children = Array.from({ length: POPULATION }, () => childOf(search, population, radius));
    const born = yield* search.ask(children.filter((child) => child !== null));
    population = fittest(search, [...population, ...born]);
    idle = search.best.cost < best * (1 - 1e-4) ? 0 : idle + 1;
    best = search.best.cost;
  }
  yield* polishBest(
    parts,
    population.filter(({ isAnswer }) => isAnswer),
    POLISHED,
  );
}

/** The best points without duplicates. */
function fittest(search: PersonSearch, looks: readonly Look[]): Look[] {
  const costs = new Map(looks.map((look) => [look, search.costOf(look.x)]));
  const order = (a: Look, b: Look) => {
    if (a.isAnswer !== b.isAnswer) return a.isAnswer ? -1 : 1;
    return (a.isAnswer ? 0 : b.margin - a.margin) || costs.get(a)! - costs.get(b)!;
  };
  const sorted = [...looks].sort(order);
  return sorted.filter((look, k) => k === 0 || !isSamePoint(look.x, sorted[k - 1].x)).slice(0, POPULATION);
}

function childOf(search: PersonSearch, population: readonly Look[], radius: number): Float64Array | null {
  const { random, home, free } = search;
  const [a, b] = [parentOf(population, random), parentOf(population, random)];
  const x = home.slice();
  for (const feature of free) {
    const from = random() < FROM_ROW ? home : random() < 0.5 ? a.x : b.x;
    for (let c = feature.column; c < feature.column + feature.width; c++) x[c] = from[c];
    if (random() < MUTATED) mutate(search, feature, x, radius);
  }
  return search.place(x);
}

/** The fitter of two random points (tournament selection). */
function parentOf(population: readonly Look[], random: () => number): Look {
  const draw = () => Math.floor(random() * population.length);
  return population[Math.min(draw(), draw())];
}

function mutate(search: PersonSearch, feature: Feature, x: Float64Array, radius: number): void {
  const { domain, scale, random } = search;
  const { column, kind } = feature;
  if (kind === 'choice') chooseAny(search, feature, x);
  else if (random() < DRAWN) x[column] = domain.origin[column] + random() * (x[column] - domain.origin[column]);
  else x[column] += 0.3 * radius * scale[column] * search.normal();
}

/** For models of which only scores are known, if some feature is discrete. Also the last attempt for models with a gradient. */
const place = (problem: Problem): LadderPlace => {
  if (!isOpaque(problem)) return 'by-name';
  if (problem.gradient) return 'rescue';
  return isMixed(problem) ? 'rung' : 'by-name';
};

/** True if some feature has categories, ranks or steps. */
export const isMixed = ({ traits }: Problem): boolean => traits.discrete;

export const genetic: Solver = generalSolver('genetic', evolve, place);
