/**
 * Points on growing spheres around the row, until a sphere has an answer (Laugel et al. 2018), in cost lengths:
 *
 *   radius 1; halved while the sphere has an answer, or doubled until it has one; then bisected between the last two radii
 *
 * A point changes all features or few: the cheapest answers of l0 and l1 change few features. A category changes to any allowed category.
 */
import type { Feature } from '../../models/features.js';
import { listedValues } from '../../policy/listed-values.js';
import type { Asked, Look, PersonSearch } from './person-search.js';

/** Points of one sphere, evaluated in one batch. */
export const SPHERE_POINTS = 64;
const DOUBLINGS = 40;
const HALVINGS = 20;
const BISECTIONS = 3;
/** The largest number of features that a point with few changes changes. */
const FEW = 3;
const FLIPPED = 0.3;

export interface Growth {
  readonly answers: readonly Look[];
  /** Points near the last sphere that are no answers. */
  readonly others: readonly Look[];
  readonly radius: number;
}

export class SphereGrowth {
  private answers: Look[] = [];
  private others: Look[] = [];

  constructor(private readonly search: PersonSearch) {}

  *grow(): Asked<Growth> {
    const [inner, outer] = (yield* this.lookAt(1)) ? yield* this.shrink(1) : yield* this.widen(1);
    const radius = yield* this.bisect(inner, outer);
    return { answers: this.answers, others: this.others, radius };
  }

  private *shrink(from: number): Asked<[number, number]> {
    let radius = from;
    for (let k = 0; k < HALVINGS && !this.search.isOver; k++, radius /= 2)
      if (!(yield* this.lookAt(radius / 2))) return [radius / 2, radius];
    return [0, radius];
  }

  private *widen(from: number): Asked<[number, number]> {
    const most = 2 * this.widest();
    let radius = from;
    for (let k = 0; k < DOUBLINGS && radius < most && !this.search.isOver; k++, radius *= 2)
      if (yield* this.lookAt(2 * radius)) return [radius, 2 * radius];
    return [radius, radius];
  }

  /** The largest distance of a domain value from the row, in cost lengths. */
  private widest(): number {
    const { numbers, domain, scale } = this.search;
    const { origin, lower, upper } = domain;
    return numbers.reduce(
      (most, c) => Math.max(most, (upper[c] - origin[c]) / scale[c], (origin[c] - lower[c]) / scale[c]),
      1,
    );
  }

  private *bisect(inner: number, outer: number): Asked<number> {
    let [low, high] = [inner, outer];
    for (let k = 0; k < BISECTIONS && high > low && !this.search.isOver; k++) {
      const middle = (low + high) / 2;
      if (yield* this.lookAt(middle)) high = middle;
      else low = middle;
    }
    return high;
  }

  /** Whether a sphere has an answer. */
  private *lookAt(radius: number): Asked<boolean> {
    const { search } = this;
    const points = Array.from({ length: SPHERE_POINTS }, (_, k) => pointOnSphere(search, radius, k % 2 === 1));
    const looks = yield* search.ask(points.filter((point) => point !== null));
    const answers = looks.filter(({ isAnswer }) => isAnswer);
    this.answers.push(...answers);
    this.others = looks.filter(({ isAnswer }) => !isAnswer);
    return answers.length > 0;
  }
}

/** A random point at a distance from the row, placed in the domain. */
export function pointOnSphere(search: PersonSearch, radius: number, isFew: boolean): Float64Array | null {
  const { free, domain, scale, home } = search;
  const moved = isFew ? someOf(free, search.random) : free;
  const x = home.slice();
  const direction = moved.map(() => search.normal());
  const length = Math.hypot(...direction) || 1;
  for (const [k, feature] of moved.entries()) {
    const { column, kind } = feature;
    if (kind !== 'choice') x[column] = domain.origin[column] + (radius * scale[column] * direction[k]) / length;
    else if (isFew || search.random() < FLIPPED) chooseAny(search, feature, x);
  }
  return search.place(x);
}

/** A random allowed category. */
export function chooseAny({ domain, random }: PersonSearch, feature: Feature, x: Float64Array): void {
  const open = listedValues(domain, feature);
  x.fill(0, feature.column, feature.column + feature.width)[feature.column + open[Math.floor(random() * open.length)]] =
    1;
}

function someOf(features: readonly Feature[], random: () => number): Feature[] {
  const count = 1 + Math.floor(random() * Math.min(FEW, features.length));
  const left = [...features];
  return Array.from(
    { length: Math.min(count, left.length) },
    () => left.splice(Math.floor(random() * left.length), 1)[0],
  );
}
