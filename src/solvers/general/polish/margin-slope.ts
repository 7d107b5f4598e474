/**
 * The gradient of the margin at a point: the gradient of the model, or finite differences if the model has no gradient.
 *
 *   number     (m(x + h e_c) - m(x)) / h        h: a small fraction of the distance from the row, and at least one lattice step
 *   category   m(x with category k) - m(x)      as the derivative by the column of k; 0 for the present category
 */
import type { Feature } from '../../../models/features.js';
import { isContinuous, nextValue } from '../../../policy/values.js';
import type { Asked, PersonSearch } from '../person-search.js';

/** h, relative to the distance from the row. */
const SHARE = 1e-4;
/** A gradient takes about as much work as this many evaluations. */
const LOOKS_PER_GRADIENT = 3;

export interface MarginSlope {
  /** Writes the gradient at a point whose margin is known. False: the gradient is 0. */
  at(x: Float64Array, margin: number, out: Float64Array): Asked<boolean>;
}

export const marginSlope = (search: PersonSearch): MarginSlope =>
  search.problem.gradient ? new GradientSlope(search) : new DifferenceSlope(search);

const isFlat = (slope: Float64Array): boolean => !slope.some((entry) => entry !== 0) || slope.some(Number.isNaN);

class GradientSlope implements MarginSlope {
  constructor(private readonly search: PersonSearch) {}

  // biome-ignore lint/correctness/useYield: a gradient is there at once
  *at(x: Float64Array, _: number, out: Float64Array): Asked<boolean> {
    const { limits, problem, work } = this.search;
    limits.budget.spend(LOOKS_PER_GRADIENT * work);
    problem.gradient!(x, out);
    return !isFlat(out);
  }
}

class DifferenceSlope implements MarginSlope {
  /** The last point and its gradient: the same point is often requested again. */
  private last: { readonly x: Float64Array; readonly slope: Float64Array } | null = null;

  constructor(private readonly search: PersonSearch) {}

  *at(x: Float64Array, margin: number, out: Float64Array): Asked<boolean> {
    if (this.last?.x !== x) this.last = { x, slope: yield* this.differences(x, margin) };
    out.set(this.last.slope);
    return !isFlat(out);
  }

  private *differences(x: Float64Array, margin: number): Asked<Float64Array> {
    const out = new Float64Array(x.length);
    const h = SHARE * Math.max(this.search.span(x), Number.MIN_VALUE);
    const columns: number[] = [];
    const points: Float64Array[] = [];
    for (const feature of this.search.free)
      for (const [c, point] of beside(this.search, feature, x, h)) {
        columns.push(c);
        points.push(point);
      }
    const looks = yield* this.search.ask(points);
    for (const [k, c] of columns.entries()) {
      const move = points[k][c] - x[c];
      const change = (looks[k].margin - margin) / move;
      if (Number.isFinite(change)) out[c] = change;
    }
    return out;
  }
}

/** Points that differ from x in one feature, each with the column whose derivative the point gives. */
function* beside(
  search: PersonSearch,
  feature: Feature,
  x: Float64Array,
  h: number,
): Generator<[number, Float64Array]> {
  const { column, width, kind } = feature;
  const { domain, scale } = search;
  if (kind !== 'choice') {
    const value = numberBeside(search, feature, x[column], h * scale[column]);
    if (value !== x[column] && Number.isFinite(value)) yield [column, x.with(column, value)];
    return;
  }
  for (let c = column; c < column + width; c++) {
    if (!(domain.upper[c] > 0) || x[c] === 1) continue;
    const point = x.slice();
    point.fill(0, column, column + width)[c] = 1;
    yield [c, point];
  }
}

function numberBeside({ domain }: PersonSearch, feature: Feature, value: number, h: number): number {
  const { column } = feature;
  if (!isContinuous(domain, feature)) {
    const next = nextValue(domain, feature, value, 1);
    return Number.isNaN(next) ? nextValue(domain, feature, value, -1) : next;
  }
  const step = Math.max(h, 1e-9 * Math.abs(value));
  return value + step <= domain.upper[column] ? value + step : Math.max(domain.lower[column], value - step);
}
