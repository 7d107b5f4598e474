/**
 * The samples of a class, ordered by a lower bound on the cost of having the sample as a neighbour.
 *
 * A sample is a neighbour only if all other samples are further away, except for those that may be excused. The bound is therefore a maximum of
 * bounds against single other samples, without the largest ones.
 */
import type { NeighboursAtom } from '../../models/region.js';
import { type Budget, FLOPS_PER_UNIT } from '../../problems/budget.js';
import type { Comparisons } from './comparisons.js';
import type { Way } from './votes.js';

export interface BoundedSample {
  readonly sample: number;
  readonly bound: number;
}

/** The number of other samples in the bound of a sample, besides the excused samples. */
const RIVALS = 4;
/** Operations for the bound of a pair. */
const BOUND_FLOPS = 500;

export class SampleOrder {
  /** By way and class: the samples with their bounds, ascending. */
  private readonly orders = new Map<Way, Map<number, readonly BoundedSample[]>>();

  constructor(
    private readonly atom: NeighboursAtom,
    private readonly comparisons: Comparisons,
    /** The distances of the samples from the person. */
    private readonly first: Float64Array,
    private readonly budget: Budget,
  ) {}

  of(way: Way, k: number): readonly BoundedSample[] {
    const known = this.orders.get(way) ?? new Map<number, readonly BoundedSample[]>();
    this.orders.set(way, known);
    const order = known.get(k) ?? this.ordered(way, k);
    known.set(k, order);
    return order;
  }

  byClass(samples: readonly number[]): number[][] {
    const { labels, classes } = this.atom;
    const inClass: number[][] = Array.from({ length: classes }, () => []);
    if (classes) for (const s of samples) inClass[labels[s]].push(s);
    return inClass;
  }

  private ordered(way: Way, k: number): BoundedSample[] {
    const { first } = this;
    const isNearer = (a: number, b: number) => first[a] - first[b] || a - b;
    const inClass = this.byClass(Array.from(first.keys()).sort(isNearer));
    const room = this.atom.nearest.k - way.need[k];
    const sets = inClass.map((own, j) => ({
      own: j === k ? [] : own.slice(0, room + RIVALS),
      room: Math.min(way.most[j], room),
    }));
    sets.push({
      own: sets
        .flatMap(({ own }) => own)
        .sort(isNearer)
        .slice(0, room + RIVALS),
      room,
    });
    this.budget.spend((inClass[k].length * sets.flatMap(({ own }) => own).length * BOUND_FLOPS) / FLOPS_PER_UNIT);
    const bound = (sample: number) => Math.max(0, ...sets.map((set) => this.boundAgainst(sample, set.own, set.room)));
    return inClass[k]
      .map((sample) => ({ sample, bound: bound(sample) }))
      .sort((a, b) => a.bound - b.bound || isNearer(a.sample, b.sample));
  }

  private boundAgainst(sample: number, others: readonly number[], room: number): number {
    if (others.length <= room) return 0;
    const bounds = others.map((other) => this.comparisons.bound(sample, other, this.first));
    return bounds.sort((a, b) => b - a)[room];
  }
}
