/**
 * Splits by sets of categories as chains of splits by thresholds, for methods that cut intervals only:
 *
 *   x in {c_1 < ... < c_m}   <=>   not x <= c_1⁻,  then x <= c_1,  or not x <= c_2⁻,  then x <= c_2,  ...      c⁻: the last double below c
 *
 * Several nodes of a chain lead to the two children of its split: the result is walked like a tree, but nodes share children. Nodes keep
 * their numbers. The nodes of a chain come after all others.
 */
import { nextDown } from '../../linalg/floats.js';
import type { TreeMargin, TreesAtom } from '../region.js';
import { categoriesOf, hasSets, layOutSets } from './category-sets.js';
import { type Forest, MISSING_LEFT, MISSING_RIGHT } from './tree.js';

interface ChainNode {
  readonly feature: number;
  readonly threshold: number;
  readonly left: number;
  readonly right: number;
  readonly missing: number;
}

/** The same condition without sets. */
export function withoutSets(atom: TreesAtom): TreesAtom {
  const { forest } = atom;
  if (!hasSets(forest)) return atom;
  const nodes: ChainNode[] = Array.from(forest.feature, (_, n) => nodeOf(forest, n));
  for (let n = 0; n < forest.set.length; n++) if (forest.set[n] >= 0) nodes[n] = addChain(nodes, forest, n);
  return {
    ...atom,
    forest: forestOf(nodes, forest),
    margins: atom.margins.map((margin) => widened(margin, nodes.length)),
  };
}

const nodeOf = ({ feature, threshold, left, right, missing }: Forest, n: number): ChainNode => ({
  feature: feature[n],
  threshold: threshold[n],
  left: left[n],
  right: right[n],
  missing: missing[n],
});

/** Adds the chain of a node's set, the last link first. The first link replaces the node itself. */
function addChain(nodes: ChainNode[], forest: Forest, n: number): ChainNode {
  const { feature, left, right, missing } = nodeOf(forest, n);
  let next = right;
  let first: ChainNode = { feature, threshold: Number.NEGATIVE_INFINITY, left, right, missing };
  for (const code of [...categoriesOf(forest, forest.set[n])].reverse()) {
    const within = nodes.push({ feature, threshold: code, left, right: next, missing }) - 1;
    // A missing value that goes left does that at the next link.
    const onward = missing === MISSING_LEFT ? MISSING_RIGHT : missing;
    first = { feature, threshold: nextDown(code), left: right, right: within, missing: onward };
    next = nodes.push(first) - 1;
  }
  return first;
}

function forestOf(nodes: readonly ChainNode[], old: Forest): Forest {
  // Sets compare unchanged numbers, whatever the precision of the tree.
  const grown = (values: Uint8Array) =>
    Uint8Array.from(nodes, (_, n) => (n < values.length && old.set[n] < 0 ? values[n] : 0));
  const value = new Float64Array(nodes.length * old.outputs);
  value.set(old.value);
  return {
    ...old,
    feature: Int32Array.from(nodes, ({ feature }) => feature),
    threshold: Float64Array.from(nodes, ({ threshold }) => threshold),
    left: Int32Array.from(nodes, ({ left }) => left),
    right: Int32Array.from(nodes, ({ right }) => right),
    missing: Uint8Array.from(nodes, ({ missing }) => missing),
    strict: grown(old.strict),
    single: grown(old.single),
    value,
    ...layOutSets(nodes.map(() => null)),
  };
}

function widened({ gain, need }: TreeMargin, nodes: number): TreeMargin {
  const wide = new Float64Array(nodes);
  wide.set(gain);
  return { gain: wide, need };
}
