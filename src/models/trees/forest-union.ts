/** Two conditions on sums over trees as one atom: the trees of both side by side. Each margin has no gain on the trees of the other. */

import type { TreeMargin, TreesAtom } from '../region.js';
import { joinSets } from './category-sets.js';
import type { Forest } from './tree.js';

/** The result has no outputs of its own, because its margins state all conditions. Both forests compare the same inputs. */
export function uniteForests(a: TreesAtom, b: TreesAtom): TreesAtom {
  const first = a.forest.feature.length;
  const second = b.forest.feature.length;
  return {
    ...a,
    ...(b.imputed && { imputed: b.imputed }),
    forest: joinForests(a.forest, b.forest),
    margins: [
      ...a.margins.map(({ gain, need }): TreeMargin => ({ gain: joined(gain, new Float64Array(second)), need })),
      ...b.margins.map(({ gain, need }): TreeMargin => ({ gain: joined(new Float64Array(first), gain), need })),
    ],
    slack: Math.max(a.slack, b.slack),
  };
}

function joinForests(a: Forest, b: Forest): Forest {
  const shift = a.feature.length;
  const moved = (nodes: Int32Array) => nodes.map((node) => (node < 0 ? node : node + shift));
  return {
    root: Int32Array.from([...a.root, ...moved(b.root)]),
    feature: Int32Array.from([...a.feature, ...b.feature]),
    threshold: joined(a.threshold, b.threshold),
    left: Int32Array.from([...a.left, ...moved(b.left)]),
    right: Int32Array.from([...a.right, ...moved(b.right)]),
    strict: Uint8Array.from([...a.strict, ...b.strict]),
    single: Uint8Array.from([...a.single, ...b.single]),
    missing: Uint8Array.from([...a.missing, ...b.missing]),
    ...joinSets(a, b),
    value: new Float64Array(0),
    outputs: 0,
    takesMissing: a.takesMissing && b.takesMissing,
  };
}

function joined(a: Float64Array, b: Float64Array): Float64Array {
  const out = new Float64Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}
