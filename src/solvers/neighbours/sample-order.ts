/**
 * The samples of a class in the order of what a person has to pay at least for each of them as a neighbour.
 *
 * A sample is among the neighbours only if others are behind it, all but as many as may be excused: of the bounds against single others
 * the largest do not count.
 */
import type { NeighboursAtom } from '../../models/region.js';
import { type Budget, FLOPS_PER_UNIT } from '../../problems/budget.js';
import type { Comparisons } from './comparisons.js';
import type { Way } from './votes.js';

export interface BoundedSample {
  readonly sample: number;
  readonly bound: number;
}

/** Others that a bound of a single sample looks at, besides those that are excused. */
const RIVALS = 4;
/** Operations for a bound of a pair. */
const BOUND_FLOPS = 500;

export class SampleOrder {
  /** By way and class: samples with a bound each, the least first. */
  private readonly orders = new Map<Way, Map<number, readonly BoundedSample[]>>();

  constructor(
    private readonly atom: NeighboursAtom,
    private readonly comparisons: Comparisons,
    /** Distances where the person is. */
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
