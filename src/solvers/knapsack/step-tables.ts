/**
 * Trees that look at one feature each, as a table of gains by feature and cell: made once for a model.
 *
 *   Σ_t gain(leaf_t(x)) = constant + Σ_f table_f(cell_f(x))
 *
 *   above_f(c), below_f(c)    the next cell to a side that gains more than c: on the way from the present cell all others are useless
 */
import type { TreeMargin, TreesAtom } from '../../models/region.js';
import type { Problem } from '../../problems/problem.js';
import { Cells, type FeatureCells } from '../trees/cells/cells.js';

export interface StepTable {
  readonly layout: FeatureCells;
  /** By cell, the missing cell last. */
  readonly gain: Float64Array;
  /** By cell; -1: none. For cells in an order. */
  readonly above: Int32Array;
  readonly below: Int32Array;
}

export interface StepTables {
  /** By feature; null: no tree looks at it. */
  readonly tables: readonly (StepTable | null)[];
  readonly constant: number;
}

/** Whether no tree looks at two features. */
export function areSteps({ forest }: TreesAtom, { space }: Problem): boolean {
  const { root, left, feature } = forest;
  for (let t = 0; t < root.length; t++) {
    let own = -1;
    const end = t + 1 < root.length ? root[t + 1] : left.length;
    for (let n = root[t]; n < end; n++) {
      if (left[n] < 0) continue;
      const owner = space.owner[feature[n]];
      if (own >= 0 && owner !== own) return false;
      own = owner;
    }
  }
  return true;
}

export function stepTables(problem: Problem, atom: TreesAtom, { gain }: TreeMargin): StepTables {
  const cells = new Cells(problem, atom);
  const sums = cells.features.map(({ count }) => new Float64Array(count + 1));
  const used = cells.features.map(() => false);
  const { root } = atom.forest;
  let constant = 0;
  for (let t = 0; t < root.length; t++) {
    const f = cells.feature[root[t]];
    if (f < 0) {
      constant += gain[root[t]];
      continue;
    }
    used[f] = true;
    for (let cell = 0; cell <= cells.features[f].count; cell++) sums[f][cell] += gain[leafAt(cells, root[t], cell)];
  }
  const tables = cells.features.map((layout, f) =>
    used[f] ? { layout, gain: sums[f], ...records(layout, sums[f]) } : null,
  );
  return { tables, constant };
}

/** The leaf of a tree for a cell of its feature. */
function leafAt({ features, feature, cut, sets, missingLeft, atom }: Cells, root: number, cell: number): number {
  const { left, right } = atom.forest;
  let node = root;
  while (left[node] >= 0) {
    const set = sets[node];
    const isMissing = cell === features[feature[node]].count;
    const isLeft = isMissing ? missingLeft[node] === 1 : set ? set[cell] === 1 : cell <= cut[node];
    node = isLeft ? left[node] : right[node];
  }
  return node;
}

function records({ count, unordered }: FeatureCells, gain: Float64Array): Pick<StepTable, 'above' | 'below'> {
  const above = new Int32Array(unordered ? 0 : count).fill(-1);
  const below = new Int32Array(unordered ? 0 : count).fill(-1);
  for (let cell = above.length - 1; cell >= 0; cell--) {
    let next = cell + 1 < count ? cell + 1 : -1;
    while (next >= 0 && !(gain[next] > gain[cell])) next = above[next];
    above[cell] = next;
  }
  for (let cell = 0; cell < below.length; cell++) {
    let next = cell - 1;
    while (next >= 0 && !(gain[next] > gain[cell])) next = below[next];
    below[cell] = next;
  }
  return { above, below };
}
