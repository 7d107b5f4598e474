/**
 * The sets of k neighbours of a point that are possible under rounding. Samples are compared by m_s, which is known up to rounding:
 *
 *   m_s ± ε (|x|₁ + |s|₁)          manhattan
 *   m_s ± ε (|x|² + |s|²)          euclidean, also where a library computes  |x|² - 2 x·s + |s|²
 *
 * Samples whose m_s equals that of the k-th neighbour up to rounding are doubtful. By the Manhattan metric two samples may be equally far
 * from all points of an open set: rounding alone then orders them. Of samples at the same place the earlier one is always taken first.
 */
import type { NearestSamples } from './nearest-samples.js';

/** ε, relative to the sizes of the terms. Exact searches keep their answers further from ties. */
const ROUNDING = 2 ** -46;
/** The largest number of sets. */
const MOST_SETS = 64;

export class NeighbourTies {
  private readonly sizes: Float64Array;
  private readonly largest: number;
  private readonly compared: Float64Array;

  constructor(private readonly nearest: NearestSamples) {
    const { samples, inputs, count } = nearest;
    this.sizes = new Float64Array(count);
    for (let s = 0; s < count; s++) this.sizes[s] = this.sizeOf(samples.subarray(s * inputs, (s + 1) * inputs));
    this.largest = this.sizes.reduce((most, size) => Math.max(most, size), 0);
    this.compared = new Float64Array(count);
  }

  /** All sets, each sorted by the compared measure. Null: too many. */
  setsAt(x: Float64Array): readonly (readonly number[])[] | null {
    const { nearest, compared } = this;
    const { k } = nearest;
    nearest.find(x);
    const doubtful = this.doubtfulAt(x, nearest.compared[k - 1]);
    const found = [...nearest.indices];
    const sure = found.filter((s) => !doubtful.includes(s));
    if (sure.length + doubtful.length === k) return [found];
    const sets = this.choose(this.byPlace(doubtful), k - sure.length);
    return sets?.map((chosen) => [...sure, ...chosen].sort((a, b) => compared[a] - compared[b] || a - b)) ?? null;
  }

  /** Samples that are as near as the last neighbour but for rounding. */
  private doubtfulAt(x: Float64Array, last: number): number[] {
    const { nearest, compared, sizes } = this;
    const own = this.sizeOf(x);
    const doubtful: number[] = [];
    for (let s = 0; s < compared.length; s++) {
      const slack = ROUNDING * (2 * own + sizes[s] + this.largest);
      compared[s] = nearest.measure(s, x, last + slack);
      if (Math.abs(compared[s] - last) <= slack) doubtful.push(s);
    }
    return doubtful;
  }

  private sizeOf(x: Float64Array): number {
    const isSquared = this.nearest.metric === 'euclidean';
    let size = 0;
    for (let j = 0; j < x.length; j++) size += isSquared ? x[j] * x[j] : Math.abs(x[j]);
    return size;
  }

  /** Groups samples at the same place, in their order. */
  private byPlace(samples: readonly number[]): number[][] {
    const { inputs, samples: all } = this.nearest;
    const places = new Map<string, number[]>();
    for (const s of samples) {
      const key = all.subarray(s * inputs, (s + 1) * inputs).join();
      places.set(key, [...(places.get(key) ?? []), s]);
    }
    return [...places.values()];
  }

  /** All choices of `count` samples that take the first ones of every place. Null: too many. */
  private choose(places: readonly (readonly number[])[], count: number): number[][] | null {
    let partial: number[][] = [[]];
    for (const [p, own] of places.entries()) {
      const after = places.slice(p + 1).reduce((sum, { length }) => sum + length, 0);
      partial = partial.flatMap((chosen) =>
        Array.from({ length: own.length + 1 }, (_, taken) => [...chosen, ...own.slice(0, taken)]).filter(
          ({ length }) => length <= count && length + after >= count,
        ),
      );
      if (partial.length > MOST_SETS) return null;
    }
    return partial;
  }
}
