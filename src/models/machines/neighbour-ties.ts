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
  private readonly compared: Float64Array;

  constructor(private readonly nearest: NearestSamples) {
    const { samples, inputs, count } = nearest;
    this.sizes = new Float64Array(count);
    for (let s = 0; s < count; s++) this.sizes[s] = this.sizeOf(samples.subarray(s * inputs, (s + 1) * inputs));
    this.compared = new Float64Array(count);
  }

  /** All sets, each sorted by the compared measure. Null: too many. */
  setsAt(x: Float64Array): readonly number[][] | null {
    const { nearest, compared } = this;
    const { k } = nearest;
    for (let s = 0; s < compared.length; s++) compared[s] = nearest.measure(s, x);
    nearest.find(x);
    const last = nearest.indices[k - 1];
    const own = this.sizeOf(x);
    const slack = (s: number) => ROUNDING * (2 * own + this.sizes[s] + this.sizes[last]);
    const isDoubtful = (s: number) => Math.abs(compared[s] - compared[last]) <= slack(s);
    const order = Array.from(compared.keys());
    const doubtful = order.filter(isDoubtful);
    const sure = order.filter((s) => compared[s] < compared[last] && !isDoubtful(s));
    const sets = this.choose(this.byPlace(doubtful), k - sure.length);
    return sets?.map((chosen) => [...sure, ...chosen].sort((a, b) => compared[a] - compared[b] || a - b)) ?? null;
  }

  private sizeOf(x: Float64Array): number {
    const isSquared = this.nearest.metric === 'euclidean';
    return x.reduce((sum, value) => sum + (isSquared ? value * value : Math.abs(value)), 0);
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
