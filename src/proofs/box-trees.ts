/**
 * Sums over trees over a box: is  Σ_t gain(leaf_t(x)) >= need  at every point?
 *
 *   bound    Σ_t (the least gain among the leaves of tree t that the box can reach)
 *   branch   on the cut with the largest difference between the trees' minima on its sides, the worse side first, until the bound
 *            suffices (proved) or every tree has one leaf left: then all points of the part have the same score, and the model decides
 *
 * Parts are cut at values of the domain. A part therefore always has a point, and a refuted part is refuted by a point.
 */
import type { Feature } from '../models/features.js';
import type { TreeMargin, TreesAtom } from '../models/region.js';
import { goesLeft } from '../models/trees/tree.js';
import { allOf, type BoxVerdict } from '../policy/box-verdict.js';
import { isListed, listedValues } from '../policy/listed-values.js';
import { lastWithin } from '../policy/values.js';
import { FLOPS_PER_UNIT } from '../problems/budget.js';
import type { Box } from './box.js';
import type { BoxEffort } from './box-effort.js';
import type { TreeCuts } from './thresholds.js';

const FLOPS_PER_NODE = 20;

/** A part of a box: an interval by column for numbers, a set of values by feature for listed features. */
interface BoxPart {
  readonly lo: Float64Array;
  readonly hi: Float64Array;
  readonly sets: readonly (Uint8Array | null)[];
}

interface Bound {
  readonly sum: number;
  /** Some tree can reach more than one leaf. */
  readonly open: boolean;
  /** The node of the cut; -1: no cut is possible. */
  readonly node: number;
  readonly lowerIsWorse: boolean;
}

export class TreesOverBox {
  private box!: Box;
  private inputs: Float64Array = new Float64Array();
  private gain: Float64Array = new Float64Array();
  // The present part.
  private lo: Float64Array = new Float64Array();
  private hi: Float64Array = new Float64Array();
  private sets: (Uint8Array | null)[] = [];
  // By cut: the difference between the minima of both sides, summed over trees, and a node that cuts there.
  private readonly lean: Float64Array;
  private readonly nodeOf: Int32Array;
  private readonly met: number[] = [];
  private open = false;
  private visited = 0;

  constructor(
    private readonly atom: TreesAtom,
    private readonly cuts: TreeCuts,
    /** Columns with missing values, as the trees read them. */
    private readonly seen: (columns: Float64Array) => Float64Array,
    /** The model's decision about a point, needed where rounding decides. */
    private readonly holds: (columns: Float64Array) => boolean,
  ) {
    this.lean = new Float64Array(cuts.cutCount);
    this.nodeOf = new Int32Array(cuts.cutCount).fill(-1);
  }

  prove(box: Box, effort: BoxEffort): BoxVerdict {
    this.box = box;
    this.inputs = this.seen(box.at).slice();
    return allOf(this.atom.margins.map((margin) => this.proveMargin(margin, effort)));
  }

  private proveMargin({ gain, need }: TreeMargin, effort: BoxEffort): BoxVerdict {
    const { slack } = this.atom;
    this.gain = gain;
    const parts = [this.root()];
    while (parts.length) {
      // The work of the previous look.
      if (!effort.take((FLOPS_PER_NODE * this.visited) / FLOPS_PER_UNIT)) return 'unknown';
      const part = parts.pop()!;
      const bound = this.bound(part);
      if (bound.sum >= need + slack) continue;
      if (bound.open) {
        if (bound.node < 0) return 'unknown';
        parts.push(...this.cut(part, bound));
      } else {
        const point = this.pointOf(part);
        if (bound.sum < need - slack || !this.holds(point)) return { point };
      }
    }
    return 'proved';
  }

  private root(): BoxPart {
    const { domain, varies } = this.box;
    const sets = domain.space.features.map((feature) => {
      if (!varies[feature.index] || !isListed(feature)) return null;
      const open = new Set(listedValues(domain, feature));
      return Uint8Array.from({ length: feature.max + 1 }, (_, value) => +open.has(value));
    });
    return { lo: domain.lower, hi: domain.upper, sets };
  }

  private bound(part: BoxPart): Bound {
    this.lo = part.lo.slice();
    this.hi = part.hi.slice();
    this.sets = [...part.sets];
    for (const id of this.met) {
      this.lean[id] = 0;
      this.nodeOf[id] = -1;
    }
    this.met.length = 0;
    this.open = false;
    this.visited = 0;
    let sum = 0;
    for (const root of this.atom.forest.root) sum += this.least(root);
    const id = this.met.reduce(
      (best, other) => (best < 0 || Math.abs(this.lean[other]) > Math.abs(this.lean[best]) ? other : best),
      -1,
    );
    return { sum, open: this.open, node: id < 0 ? -1 : this.nodeOf[id], lowerIsWorse: this.lean[id] < 0 };
  }

  /** The least gain below a node that the present part can reach. */
  private least(node: number): number {
    const { forest } = this.atom;
    this.visited++;
    if (forest.left[node] < 0) return this.gain[node];
    const column = forest.feature[node];
    const f = this.box.domain.space.owner[column];
    if (!this.box.varies[f])
      return this.least(goesLeft(forest, node, this.inputs[column]) ? forest.left[node] : forest.right[node]);
    if (this.sets[f]) return this.leastBySet(node, f);
    const end = this.cuts.end[node];
    if (this.hi[column] <= end) return this.least(forest.left[node]);
    if (this.lo[column] > end) return this.least(forest.right[node]);
    return this.leastOfBoth(node, column);
  }

  private leastOfBoth(node: number, column: number): number {
    const [low, high] = [this.lo[column], this.hi[column]];
    const { left, right } = this.atom.forest;
    const cuttable = this.cuts.cutId[node] >= 0;
    if (cuttable) this.hi[column] = this.cuts.end[node];
    const lower = this.least(left[node]);
    this.hi[column] = high;
    if (cuttable) this.lo[column] = this.cuts.start[node];
    const upper = this.least(right[node]);
    this.lo[column] = low;
    return this.note(node, lower, upper);
  }

  private leastBySet(node: number, f: number): number {
    const { left, right } = this.atom.forest;
    const here = this.sets[f]!;
    const [inside, outside] = divide(here, this.cuts.sets[node]!);
    if (!outside.includes(1)) return this.least(left[node]);
    if (!inside.includes(1)) return this.least(right[node]);
    this.sets[f] = inside;
    const lower = this.least(left[node]);
    this.sets[f] = outside;
    const upper = this.least(right[node]);
    this.sets[f] = here;
    return this.note(node, lower, upper);
  }

  /** Records that both sides of a split are within reach. */
  private note(node: number, lower: number, upper: number): number {
    this.open = true;
    const id = this.cuts.cutId[node];
    if (id >= 0) {
      if (this.nodeOf[id] < 0) this.met.push(id);
      this.nodeOf[id] = node;
      this.lean[id] += lower - upper;
    }
    return Math.min(lower, upper);
  }

  /** The two sides of a part, the worse one last. A side without values of the domain is left out. */
  private cut(part: BoxPart, { node, lowerIsWorse }: Bound): BoxPart[] {
    const column = this.atom.forest.feature[node];
    const feature = this.box.domain.space.features[this.box.domain.space.owner[column]];
    const sides = part.sets[feature.index] ? this.cutSet(part, feature, node) : this.cutInterval(part, feature, node);
    return lowerIsWorse ? sides.reverse() : sides;
  }

  private cutSet(part: BoxPart, { index }: Feature, node: number): BoxPart[] {
    return divide(part.sets[index]!, this.cuts.sets[node]!)
      .filter((set) => set.includes(1))
      .map((set) => ({ ...part, sets: part.sets.with(index, set) }));
  }

  private cutInterval(part: BoxPart, feature: Feature, node: number): BoxPart[] {
    const { column } = feature;
    const end = lastWithin(this.box.domain, feature, this.cuts.end[node], 1);
    const start = lastWithin(this.box.domain, feature, this.cuts.start[node], -1);
    const sides: BoxPart[] = [];
    if (end >= part.lo[column]) sides.push({ ...part, hi: part.hi.with(column, end) });
    if (start <= part.hi[column]) sides.push({ ...part, lo: part.lo.with(column, start) });
    return sides;
  }

  /** A point of a part. Where every tree has one leaf left, the point represents all others. */
  private pointOf(part: BoxPart): Float64Array {
    const x = this.box.at.slice();
    for (const { index, kind, column, width } of this.box.domain.space.features) {
      if (!this.box.varies[index]) continue;
      const value = part.sets[index]?.indexOf(1) ?? finiteOf(part.lo[column], part.hi[column]);
      if (kind !== 'choice') x[column] = value;
      else for (let k = 0; k < width; k++) x[column + k] = +(k === value);
    }
    return x;
  }
}

const finiteOf = (lo: number, hi: number): number => (Number.isFinite(lo) ? lo : Number.isFinite(hi) ? hi : 0);

/** The members of a set that are in another set, and those that are not. */
function divide(set: Uint8Array, by: Uint8Array): [Uint8Array, Uint8Array] {
  return [set.map((member, value) => member & by[value]), set.map((member, value) => member & +!by[value])];
}
