/**
 * Splits by sets of categories, as flat arrays: the concatenated sets of all nodes, each in ascending order.
 *
 *   left at node n  <=>  the input is one of  category[setStart[k]] .. category[setStart[k + 1] - 1],   k = set[n]
 *
 * Sets are lists searched by bisection instead of bit sets: sets are short, and one large code in a document costs eight bytes.
 */
import { sharedFloats, sharedInts } from '../../linalg/shared.js';

export interface CategorySets {
  /** By node: the number of its set; -1 where a threshold decides. */
  readonly set: Int32Array;
  /** By set: its start; the last entry is the end of the last set. */
  readonly setStart: Int32Array;
  readonly category: Float64Array;
}

type Codes = readonly number[] | null | undefined;

/** `sets`: by node; undefined where a threshold decides. */
export function layOutSets(sets: readonly Codes[]): CategorySets {
  const lists = sets.filter((codes) => !!codes);
  const set = sharedInts(sets.length).fill(-1);
  const setStart = sharedInts(lists.length + 1);
  for (const [k, codes] of lists.entries()) setStart[k + 1] = setStart[k] + codes.length;
  const category = sharedFloats(setStart[lists.length]);
  for (const [k, codes] of lists.entries()) category.set(Float64Array.from(codes).sort(), setStart[k]);
  let next = 0;
  for (const [n, codes] of sets.entries()) if (codes) set[n] = next++;
  return { set, setStart, category };
}

/** Whether any node has a set. */
export const hasSets = ({ setStart }: CategorySets): boolean => setStart.length > 1;

export function categoriesOf({ setStart, category }: CategorySets, set: number): Float64Array {
  return category.subarray(setStart[set], setStart[set + 1]);
}

export function isInSet({ setStart, category }: CategorySets, set: number, input: number): boolean {
  let low = setStart[set];
  let high = setStart[set + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (category[middle] === input) return true;
    if (category[middle] < input) low = middle + 1;
    else high = middle;
  }
  return false;
}

/** The concatenated nodes of two forests. */
export function joinSets(a: CategorySets, b: CategorySets): CategorySets {
  const sets = a.setStart.length - 1;
  const codes = a.category.length;
  return {
    set: Int32Array.from([...a.set, ...b.set.map((set) => (set < 0 ? set : set + sets))]),
    setStart: Int32Array.from([...a.setStart, ...b.setStart.subarray(1).map((start) => start + codes)]),
    category: Float64Array.from([...a.category, ...b.category]),
  };
}
