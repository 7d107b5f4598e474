/**
 * The trees of an operator, whatever its version: nodes that ask one column, and leaves that add weights to targets. Nodes are numbered across
 * trees. A child is the number of a node, or  -1 - the number of a leaf.
 *
 *   true branch   the column is <= v, < v, >= v, > v, = v, != v, or one of the members;  or it is missing and missing goes the true way
 */
import type { NodeView } from '../operators/node-view.js';

export type SplitMode = 'LEQ' | 'LT' | 'GTE' | 'GT' | 'EQ' | 'NEQ' | 'MEMBER';

export interface SplitNode {
  readonly column: number;
  readonly mode: SplitMode;
  /** One number, or the members. */
  readonly values: readonly number[];
  readonly isMissingTrue: boolean;
  readonly whenTrue: number;
  readonly whenFalse: number;
}

/** What a leaf adds, by target. */
export type LeafWeights = ReadonlyMap<number, number>;

export interface SplitForest {
  /** Nodes or leaves, in the numbers of children. */
  readonly roots: readonly number[];
  readonly nodes: readonly SplitNode[];
  readonly leaves: readonly LeafWeights[];
}

/** Trees are read recursively. */
const MOST_LEVELS = 1000;

export const leafAt = (child: number): number => -1 - child;

/** Every node has one parent, and no path is too long. */
export function checkForest({ roots, nodes, leaves }: SplitForest, columns: number, node: NodeView): void {
  if (!roots.length) throw node.fault('there are no trees');
  const seen = new Uint8Array(nodes.length);
  let level = roots.slice();
  for (let depth = 0; level.length; depth++) {
    if (depth > MOST_LEVELS) throw node.refuse(`trees of more than ${MOST_LEVELS} levels`);
    const next: number[] = [];
    for (const child of level) {
      if (child < 0 ? leafAt(child) >= leaves.length : child >= nodes.length || seen[child])
        throw node.fault(`the node or leaf ${child} does not exist, or has two parents`);
      if (child < 0) continue;
      seen[child] = 1;
      checkNode(nodes[child], columns, node);
      next.push(nodes[child].whenTrue, nodes[child].whenFalse);
    }
    level = next;
  }
}

function checkNode({ column, values }: SplitNode, columns: number, node: NodeView): void {
  if (!(column >= 0 && column < columns)) throw node.fault(`there is no column ${column}`, 'nodes_featureids');
  if (values.some(Number.isNaN)) throw node.refuse('a split at NaN', 'nodes_values');
}

/** The targets of all leaves. */
export function targetsOf({ leaves }: SplitForest): Set<number> {
  const targets = new Set<number>();
  for (const leaf of leaves) for (const target of leaf.keys()) targets.add(target);
  return targets;
}

/** More numbers in leaves are no model that anyone trained. */
const MOST_NUMBERS = 50_000_000;

export function checkTargets(forest: SplitForest, count: number, node: NodeView): void {
  if (!(count >= 1 && count * forest.leaves.length <= MOST_NUMBERS))
    throw node.refuse(`${count} outputs of ${forest.leaves.length} leaves`);
  const wrong = [...targetsOf(forest)].find((target) => !(target >= 0 && target < count));
  if (wrong !== undefined) throw node.fault(`a leaf adds to the output ${wrong} of ${count}`);
}

/** The targets that some tree adds to, whichever leaf a row falls into. */
export function surelyScored({ roots, nodes, leaves }: SplitForest): Set<number> {
  const scored = new Set<number>();
  for (const root of roots) {
    let common: Set<number> | undefined;
    for (const waiting = [root]; waiting.length; ) {
      const child = waiting.pop()!;
      if (child >= 0) waiting.push(nodes[child].whenTrue, nodes[child].whenFalse);
      else {
        const leaf = leaves[leafAt(child)];
        common = new Set(common ? [...common].filter((target) => leaf.has(target)) : leaf.keys());
      }
    }
    for (const target of common!) scored.add(target);
  }
  return scored;
}

/** Whether no leaf subtracts. */
export function isAllPositive({ leaves }: SplitForest): boolean {
  return leaves.every((leaf) => [...leaf.values()].every((weight) => weight >= 0));
}

/** A chain of nodes that ask one column for one number each, with the same true branch, becomes its first node, with all numbers. */
export function withMembers(nodes: readonly SplitNode[]): SplitNode[] {
  const next = nodes.map((node) => followerOf(node, nodes));
  const isFollower = new Uint8Array(nodes.length);
  for (const n of next) if (n >= 0) isFollower[n] = 1;
  const isTaken = new Uint8Array(nodes.length);
  return nodes.map((node, n) => {
    if (isFollower[n] || next[n] < 0) return node;
    const values = [...node.values];
    let last = n;
    for (let k = next[n]; k >= 0 && !isTaken[k]; k = next[k]) {
      isTaken[k] = 1;
      values.push(...nodes[k].values);
      last = k;
    }
    return { ...node, mode: 'MEMBER', values, whenFalse: nodes[last].whenFalse };
  });
}

/** The next node of a chain; -1: none. */
function followerOf(
  { mode, column, whenTrue, whenFalse, isMissingTrue }: SplitNode,
  nodes: readonly SplitNode[],
): number {
  const next = mode === 'EQ' && whenFalse >= 0 ? nodes[whenFalse] : undefined;
  const isSame =
    next?.mode === 'EQ' && next.column === column && next.whenTrue === whenTrue && next.isMissingTrue === isMissingTrue;
  return isSame ? whenFalse : -1;
}
