/**
 * Moves of one feature inside a region of quadratics and rows, to values of the domain:
 *
 *   from x to x + (v - x_f) e_f,   v in T(x, e_f) and a value of the domain       (region-lines.ts)
 *
 * Numbers move to the cheapest value of each span, categories to each open category.
 */
import type { Feature } from '../../models/features.js';
import type { Domain } from '../../policy/domain.js';
import { listedValues } from '../../policy/listed-values.js';
import { nearestValue, nearestWithin } from '../../policy/values.js';
import type { Problem } from '../../problems/problem.js';
import type { RegionLines } from './region-lines.js';

export class FeatureMoves {
  private readonly direction: Float64Array;

  constructor(
    private readonly problem: Problem,
    private readonly lines: RegionLines,
  ) {
    this.direction = new Float64Array(problem.space.columns);
  }

  /** x with the feature at values inside the region. */
  *inside(domain: Domain, feature: Feature, x: Float64Array, nudge: number): Generator<Float64Array> {
    if (feature.kind === 'choice') {
      yield* this.categories(domain, feature, x);
      return;
    }
    const { column } = feature;
    const wanted = this.cheapestAlone(domain, feature, x);
    for (const { low, high } of this.lines.spans(x, this.unit(column), nudge)) {
      const value = valueWithin(domain, feature, x[column] + low, x[column] + high, wanted);
      if (!Number.isNaN(value)) yield x.with(column, value);
    }
  }

  /** x with the feature at the values where some constraint is met or turns, and at its ends. */
  *turning(domain: Domain, feature: Feature, x: Float64Array): Generator<Float64Array> {
    if (feature.kind === 'choice') {
      yield* this.categories(domain, feature, x);
      return;
    }
    const { column } = feature;
    const ends = [domain.lower[column], domain.upper[column]].filter(Number.isFinite);
    const turns = this.lines.turns(x, this.unit(column)).map((t) => x[column] + t);
    for (const wanted of [...turns, ...ends]) {
      const value = nearestValue(domain, feature, wanted);
      if (value !== x[column] && Number.isFinite(value)) yield x.with(column, value);
    }
  }

  private *categories(domain: Domain, feature: Feature, x: Float64Array): Generator<Float64Array> {
    const { column, width } = feature;
    for (const category of listedValues(domain, feature)) {
      if (x[column + category] !== 1)
        yield x
          .slice()
          .fill(0, column, column + width)
          .fill(1, column + category, column + category + 1);
    }
  }

  private unit(column: number): Float64Array {
    this.direction.fill(0)[column] = 1;
    return this.direction;
  }

  /** The value at which the feature costs least with the others fixed: the present value, except under a metric. */
  private cheapestAlone({ origin }: Domain, feature: Feature, x: Float64Array): number {
    const { metric } = this.problem.cost;
    const k = metric?.features.indexOf(feature) ?? -1;
    if (!metric || k < 0) return origin[feature.column];
    let pull = 0;
    for (const [j, { column }] of metric.features.entries())
      if (j !== k) pull += metric.inverse[k][j] * (x[column] - origin[column]);
    return origin[feature.column] - pull / metric.inverse[k][k];
  }
}

/** The value of [low, high] nearest to the wanted number; NaN: none. */
function valueWithin(domain: Domain, feature: Feature, low: number, high: number, wanted: number): number {
  if (wanted === domain.origin[feature.column]) return nearestWithin(domain, feature, low, high);
  const value = nearestValue(domain, feature, Math.min(high, Math.max(low, wanted)));
  return value >= low && value <= high ? value : nearestWithin(domain, feature, low, high);
}
