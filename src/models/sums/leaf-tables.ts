/**
 * The Shapley values of tree-shapley.ts for one small tree and all rows of a reference at once. On the path to a leaf stand k features. Let X be
 * those whose splits the row x passes on the way to the leaf, and R_i those that row i of the reference passes:
 *
 *   row i adds to the leaf  <=>  X ∪ R_i = all k,    A = all \ R_i,   B = all \ X
 *
 * Rows with the same R count once, with a weight. The values of a leaf depend on X alone and are kept: the number of rows costs nothing later.
 */
import { type Forest, goesLeft } from '../trees/tree.js';
import type { TreeSum } from './score-sum.js';
import { joining } from './tree-shapley.js';

/** Features on a path are the bits of an integer. */
const MOST_FEATURES = 30;

/** The numbers that the tables of a forest may still keep. */
export interface TableRoom {
  left: number;
}

interface Leaf {
  readonly slot: number;
  readonly value: number;
  /** The features of the path. */
  readonly players: readonly number[];
  /** The weight of each R, as bits. */
  readonly weights: Map<number, number>;
  /** The values by X. Null: all are 0. */
  readonly known: Map<number, Float64Array | null>;
}

interface Split {
  readonly node: number;
  readonly slot: number;
  readonly bit: number;
  left: number;
  right: number;
}

export class LeafTables {
  readonly #forest: Forest;
  readonly #splits: Split[] = [];
  readonly #leaves: Leaf[] = [];
  readonly #passed: Int32Array;

  /** Null: a path has too many features. `share`: the weight of a row. */
  static of(
    sum: TreeSum,
    tree: number,
    owner: Int32Array,
    rows: readonly Float64Array[],
    share: number,
    room: TableRoom,
  ) {
    const tables = new LeafTables(sum, tree, owner, room);
    if (tables.#leaves.some(({ players }) => players.length > MOST_FEATURES)) return null;
    for (const row of rows) tables.#count(row, share);
    return tables;
  }

  private constructor(
    { forest, gain }: TreeSum,
    tree: number,
    owner: Int32Array,
    private readonly room: TableRoom,
  ) {
    this.#forest = forest;
    let slots = 0;
    const visit = (node: number, players: readonly number[]): number => {
      const slot = slots++;
      if (forest.left[node] < 0) {
        this.#leaves.push({ slot, value: gain[node], players, weights: new Map(), known: new Map() });
        return slot;
      }
      const player = owner[forest.feature[node]];
      const place = players.indexOf(player);
      const split = { node, slot, bit: 1 << (place < 0 ? players.length : place), left: 0, right: 0 };
      this.#splits.push(split);
      const below = place < 0 ? [...players, player] : players;
      split.left = visit(forest.left[node], below);
      split.right = visit(forest.right[node], below);
      return slot;
    };
    visit(forest.root[tree], []);
    this.#passed = new Int32Array(slots);
  }

  add(x: Float64Array, out: Float64Array): void {
    this.#pass(x);
    for (const leaf of this.#leaves) {
      const values = this.#valuesOf(leaf, this.#passed[leaf.slot] & allOf(leaf));
      if (values) for (let p = 0; p < values.length; p++) out[leaf.players[p]] += values[p];
    }
  }

  #count(row: Float64Array, share: number): void {
    this.#pass(row);
    for (const leaf of this.#leaves) {
      const passed = this.#passed[leaf.slot] & allOf(leaf);
      leaf.weights.set(passed, (leaf.weights.get(passed) ?? 0) + share);
    }
  }

  /** The features whose splits a row passes on the way to each node: all, less those with a split that turns away. */
  #pass(row: Float64Array): void {
    const passed = this.#passed;
    passed[0] = -1;
    for (const { node, slot, bit, left, right } of this.#splits) {
      const isLeft = goesLeft(this.#forest, node, row[this.#forest.feature[node]]);
      passed[left] = isLeft ? passed[slot] : passed[slot] & ~bit;
      passed[right] = isLeft ? passed[slot] & ~bit : passed[slot];
    }
  }

  #valuesOf(leaf: Leaf, passed: number): Float64Array | null {
    const known = leaf.known.get(passed);
    if (known !== undefined) return known;
    const values = valuesAt(leaf, passed);
    const size = values?.length ?? 1;
    if (this.room.left >= size) {
      this.room.left -= size;
      leaf.known.set(passed, values);
    }
    return values;
  }
}

const allOf = ({ players }: Leaf): number => 2 ** players.length - 1;

function valuesAt(leaf: Leaf, passed: number): Float64Array | null {
  const all = allOf(leaf);
  const ofReference = all & ~passed;
  const b = bitCount(ofReference);
  const values = new Float64Array(leaf.players.length);
  let isZero = true;
  for (const [other, weight] of leaf.weights) {
    const ofRow = all & ~other;
    if ((passed | other) !== all || (ofRow === 0 && b === 0)) continue;
    isZero = false;
    const a = bitCount(ofRow);
    const worth = leaf.value * weight;
    if (a > 0) addTo(values, ofRow, worth * joining(a, b));
    if (b > 0) addTo(values, ofReference, -worth * joining(b, a));
  }
  return isZero ? null : values;
}

function addTo(values: Float64Array, bits: number, amount: number): void {
  for (let p = 0; p < values.length; p++) if ((bits >> p) & 1) values[p] += amount;
}

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits; rest; rest &= rest - 1) count++;
  return count;
}
