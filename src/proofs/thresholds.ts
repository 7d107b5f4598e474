/**
 * Where trees cut the row's own columns, exactly. Preprocessing by columns keeps or turns the order of numbers, rounding included, so
 * each split of a number has a last value of its lower side; it is found by the model's own arithmetic, bracketed around the threshold
 * and bisected down to neighbouring doubles, in whatever precision the library compares.
 *
 *   number   lower side  <=>  value <= lowerEnd            listed   left  <=>  the value is in the split's set
 */
import { nextUp } from '../linalg/floats.js';
import type { Feature, FeatureSpace } from '../models/features.js';
import type { TreesAtom } from '../models/region.js';
import { goesLeft } from '../models/trees/tree.js';
import { isListed } from '../policy/listed-values.js';

/** What the trees see of a row's columns, by the model's own preprocessing. */
export type InputsOf = (columns: Float64Array) => Float64Array;

export class TreeCuts {
  /** By node: the last value of the lower side; NaN where there is no such value. */
  readonly lowerEnd: Float64Array;
  readonly upperStart: Float64Array;
  /** By node: the children on the lower and on the upper side; by set, those of its values and of the others. */
  readonly lowerChild: Int32Array;
  readonly upperChild: Int32Array;
  /** By node that splits a listed feature: its values that go to the lower child. */
  readonly sets: (Uint8Array | null)[];
  /** By node: splits that cut alike have the same number; -1: a box cannot be cut there. */
  readonly cutId: Int32Array;
  readonly cutCount: number;
  private readonly columns: Float64Array;
  private readonly known = new Map<string, number>();

  constructor(
    private readonly space: FeatureSpace,
    private readonly atom: TreesAtom,
    private readonly inputsOf: InputsOf,
  ) {
    const { forest } = atom;
    const nodes = forest.left.length;
    this.columns = new Float64Array(space.columns);
    this.lowerEnd = new Float64Array(nodes).fill(Number.NaN);
    this.upperStart = new Float64Array(nodes).fill(Number.NaN);
    this.lowerChild = forest.left.slice();
    this.upperChild = forest.right.slice();
    this.cutId = new Int32Array(nodes).fill(-1);
    this.sets = Array(nodes).fill(null);
    const ids = new Map<string, number>();
    for (let n = 0; n < nodes; n++) if (forest.left[n] >= 0) this.layOut(n, ids);
    this.cutCount = ids.size;
  }

  /** The ends of the lower sides of a number's cuts, ascending. */
  endsOf({ column }: Feature): number[] {
    const { forest } = this.atom;
    const ends = this.lowerEnd.filter((end, n) => forest.feature[n] === column && !Number.isNaN(end));
    return [...new Set(ends)].sort((a, b) => a - b);
  }

  private layOut(node: number, ids: Map<string, number>): void {
    const { forest } = this.atom;
    const column = forest.feature[node];
    const feature = this.space.features[this.space.owner[column]];
    if (isListed(feature)) {
      this.sets[node] = Uint8Array.from({ length: feature.max + 1 }, (_, value) => +this.sends(node, feature, value));
      this.cutId[node] = numberOf(ids, `${feature.index} in ${this.sets[node]}`);
    } else if (forest.set[node] < 0) this.layOutCut(node, column, ids);
  }

  private layOutCut(node: number, column: number, ids: Map<string, number>): void {
    const { forest } = this.atom;
    const flipped = !this.left(node, column, -Number.MAX_VALUE);
    const key = `${column} ${forest.threshold[node]} ${forest.strict[node]} ${forest.single[node]}`;
    const end = this.known.get(key) ?? this.findEnd(node, column, flipped);
    this.known.set(key, end);
    this.lowerEnd[node] = end;
    this.upperStart[node] = nextUp(end);
    if (flipped) [this.lowerChild[node], this.upperChild[node]] = [forest.right[node], forest.left[node]];
    this.cutId[node] = numberOf(ids, `${column} to ${end}`);
  }

  private sends(node: number, { kind, column }: Feature, value: number): boolean {
    const own = this.atom.forest.feature[node];
    return this.left(node, own, kind === 'choice' ? +(own === column + value) : value);
  }

  private left(node: number, column: number, value: number): boolean {
    this.columns[column] = value;
    const left = goesLeft(this.atom.forest, node, this.inputsOf(this.columns)[column]);
    this.columns[column] = 0;
    return left;
  }

  private findEnd(node: number, column: number, flipped: boolean): number {
    const { map, forest } = this.atom;
    const input = forest.threshold[node];
    const guess = map ? (input - map.offset[column]) / map.diagonal![column] : input;
    const isLower = (value: number) => this.left(node, column, value) !== flipped;
    let reach = Math.max(Math.abs(guess) * 2 ** -52, Number.MIN_VALUE);
    let [low, high] = [guess, guess];
    for (; !isLower(low) && low > -Number.MAX_VALUE; reach *= 2) low = Math.max(-Number.MAX_VALUE, guess - reach);
    for (; isLower(high) && high < Number.MAX_VALUE; reach *= 2) high = Math.min(Number.MAX_VALUE, guess + reach);
    for (;;) {
      const middle = low / 2 + high / 2;
      if (!(middle > low && middle < high)) return low;
      if (isLower(middle)) low = middle;
      else high = middle;
    }
  }
}

function numberOf(ids: Map<string, number>, key: string): number {
  const id = ids.get(key) ?? ids.size;
  ids.set(key, id);
  return id;
}
