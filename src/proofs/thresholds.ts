/**
 * The exact cuts of trees in the row's own columns: each split of a number has a last double on its lower side.
 *
 *   number   left  <=>  value <= end            listed   left  <=>  the value is in the split's set
 */
import { nextUp } from '../linalg/floats.js';
import type { Feature, FeatureSpace } from '../models/features.js';
import { type Forest, goesLeft, lastLeft } from '../models/trees/tree.js';
import { isListed } from '../policy/listed-values.js';

export class TreeCuts {
  /** By node: the last double that goes left, and the next double; NaN where none exists. */
  readonly end: Float64Array;
  readonly start: Float64Array;
  /** By node that splits a listed feature: the values that go left. */
  readonly sets: (Uint8Array | null)[];
  /** By node: equal splits have the same number; -1: a box cannot be cut there. */
  readonly cutId: Int32Array;
  readonly cutCount: number;

  constructor(
    private readonly space: FeatureSpace,
    private readonly forest: Forest,
  ) {
    const nodes = forest.left.length;
    this.end = new Float64Array(nodes).fill(Number.NaN);
    this.start = new Float64Array(nodes).fill(Number.NaN);
    this.cutId = new Int32Array(nodes).fill(-1);
    this.sets = Array(nodes).fill(null);
    const ids = new Map<string, number>();
    for (let n = 0; n < nodes; n++) if (forest.left[n] >= 0) this.layOut(n, ids);
    this.cutCount = ids.size;
  }

  /** The last doubles below a number's cuts, ascending. Null: a split lists numbers in a set. */
  endsOf({ column }: Feature): number[] | null {
    const { feature, left, set } = this.forest;
    const ends = new Set<number>();
    for (let n = 0; n < feature.length; n++) {
      if (left[n] < 0 || feature[n] !== column) continue;
      if (set[n] >= 0) return null;
      ends.add(this.end[n]);
    }
    return [...ends].sort((a, b) => a - b);
  }

  private layOut(node: number, ids: Map<string, number>): void {
    const { forest, space } = this;
    const feature = space.features[space.owner[forest.feature[node]]];
    if (isListed(feature)) {
      this.sets[node] = Uint8Array.from({ length: feature.max + 1 }, (_, value) => +this.sends(node, feature, value));
      this.cutId[node] = numberOf(ids, `${feature.index} in ${this.sets[node]}`);
    } else if (forest.set[node] < 0) {
      this.end[node] = lastLeft(forest, node);
      this.start[node] = nextUp(this.end[node]);
      this.cutId[node] = numberOf(ids, `${feature.index} to ${this.end[node]}`);
    }
  }

  private sends(node: number, { kind, column }: Feature, value: number): boolean {
    const input = kind === 'choice' ? +(this.forest.feature[node] === column + value) : value;
    return goesLeft(this.forest, node, input);
  }
}

function numberOf(ids: Map<string, number>, key: string): number {
  const id = ids.get(key) ?? ids.size;
  ids.set(key, id);
  return id;
}
