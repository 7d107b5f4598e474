/**
 * The interventional Shapley values of a tree for a row x against one row r of the reference (Lundberg et al. 2020, algorithm 3):
 *
 *   v(S) = tree(x on S, r elsewhere)
 *
 * A leaf is reached by S exactly if S contains the set A of features that x needs on the path, and no feature of the set B that r needs.
 * With a = |A| and b = |B| the leaf's value w adds
 *
 *   + w (a-1)! b! / (a+b)!   to each feature of A        - w a! (b-1)! / (a+b)!   to each feature of B
 *
 * Where x and r take the same side nothing is decided, and a feature that was decided above stays with its row. A step down therefore visits
 * each leaf at most once. The two sums travel upwards, so a node costs constant time.
 */
import { type Forest, goesLeft } from '../trees/tree.js';
import type { TreeSum } from './score-sum.js';

const OPEN = 0;
const OF_ROW = 1;
const OF_REFERENCE = 2;

export class TreeShapley {
  readonly #forest: Forest;
  readonly #gain: Float64Array;
  readonly #owner: Int32Array;
  /** By feature: whose side it takes on the present path. */
  readonly #side: Uint8Array;
  #x: Float64Array = new Float64Array();
  #r: Float64Array = new Float64Array();
  /** The sums of the leaves below the last node, for features of A and of B. */
  #forRow = 0;
  #forReference = 0;
  #out: Float64Array = new Float64Array();
  #weight = 0;

  /** `owner`: the feature of each input. */
  constructor({ forest, gain }: TreeSum, owner: Int32Array, features: number) {
    this.#forest = forest;
    this.#gain = gain;
    this.#owner = owner;
    this.#side = new Uint8Array(features);
  }

  /** Adds the weighted values of one tree. */
  add(tree: number, x: Float64Array, r: Float64Array, weight: number, out: Float64Array): void {
    this.#x = x;
    this.#r = r;
    this.#out = out;
    this.#weight = weight;
    this.#visit(this.#forest.root[tree], 0, 0);
  }

  #visit(node: number, a: number, b: number): void {
    const { left, right, feature } = this.#forest;
    if (left[node] < 0) {
      this.#leaf(this.#gain[node], a, b);
      return;
    }
    const input = feature[node];
    const player = this.#owner[input];
    const side = this.#side[player];
    const own = goesLeft(this.#forest, node, this.#x[input]) ? left[node] : right[node];
    const other = goesLeft(this.#forest, node, this.#r[input]) ? left[node] : right[node];
    if (side === OPEN && own !== other) this.#split(player, own, other, a, b);
    else this.#visit(side === OF_ROW ? own : other, a, b);
  }

  #split(player: number, own: number, other: number, a: number, b: number): void {
    this.#side[player] = OF_ROW;
    this.#visit(own, a + 1, b);
    const [forRow, forReference] = [this.#forRow, this.#forReference];
    this.#side[player] = OF_REFERENCE;
    this.#visit(other, a, b + 1);
    this.#side[player] = OPEN;
    this.#out[player] += this.#weight * (forRow - this.#forReference);
    this.#forRow += forRow;
    this.#forReference += forReference;
  }

  #leaf(value: number, a: number, b: number): void {
    this.#forRow = a > 0 ? value * joining(a, b) : 0;
    this.#forReference = b > 0 ? value * joining(b, a) : 0;
  }
}

/** (a-1)! b! / (a+b)!  =  1 / (a · binomial(a+b, b)), by a and b. */
const known: number[][] = [];

export function joining(a: number, b: number): number {
  known[a] ??= [];
  known[a][b] ??= 1 / (a * binomial(a + b, Math.min(a, b)));
  return known[a][b];
}

function binomial(n: number, k: number): number {
  let product = 1;
  for (let i = 1; i <= k; i++) product = (product * (n - k + i)) / i;
  return product;
}
