/**
 * Trees that are stored in a shorter form than ours, grown node by node:
 *
 *   ask(x <= t, left, right)   a node with two children; or the only child that a row can reach after the answers above it
 *
 * What a row can be after these answers is a box: for each input an interval (low, high], and whether it may be missing. The number of nodes
 * of all trees is bounded: an oblivious tree of 16 levels has 65,536 leaves.
 */
import { ElsewiseError } from '../documents/error.js';
import type { TreeDocument } from '../documents/tree-document.js';
import { DEFAULT_TREE_NODES, type ImportChoices } from './choices.js';

/** x <= threshold goes left. */
export interface SplitQuestion {
  readonly input: number;
  readonly threshold: number;
  readonly isMissingLeft: boolean;
}

type Grow = () => number;
type Side = 'left' | 'right';

interface Room {
  low: number;
  high: number;
  isMissing: boolean;
}

const ANYWHERE: Room = { low: -Infinity, high: Infinity, isMissing: true };

/** The nodes that all trees of a model may still take. */
export class NodeBudget {
  private count = 0;
  private readonly most: number;

  constructor(
    { treeNodes = DEFAULT_TREE_NODES }: ImportChoices,
    private readonly path: string,
  ) {
    this.most = treeNodes;
  }

  spend(nodes: number): void {
    this.count += nodes;
    if (this.count <= this.most) return;
    const message = `the trees grow to more than ${this.most} nodes: train fewer or shallower trees, or raise --tree-nodes`;
    throw new ElsewiseError('bad-document', message, this.path);
  }
}

export class TreeGrowth {
  private readonly rooms = new Map<number, Room>();
  private readonly feature: number[] = [];
  private readonly threshold: number[] = [];
  private readonly left: number[] = [];
  private readonly right: number[] = [];
  private readonly value: number[][] = [];
  private readonly missing: Side[] = [];
  private readonly categories: (number[] | null)[] = [];

  constructor(
    private readonly outputs: number,
    private readonly budget: NodeBudget,
  ) {}

  leaf(value: number[]): number {
    return this.add(0, 0, 'right', value, null);
  }

  ask(question: SplitQuestion, left: Grow, right: Grow): number {
    const [within, beyond] = [this.roomAt(question, 'left'), this.roomAt(question, 'right')];
    if (!beyond) return left();
    if (!within) return right();
    const { input, threshold, isMissingLeft } = question;
    const node = this.add(input, threshold, isMissingLeft ? 'left' : 'right', this.nothing(), null);
    this.left[node] = this.inRoom(input, within, left);
    this.right[node] = this.inRoom(input, beyond, right);
    return node;
  }

  /** One of the codes goes left, all else right. */
  askSet(input: number, codes: number[], left: Grow, right: Grow, isMissingLeft = false): number {
    const node = this.add(input, 0, isMissingLeft ? 'left' : 'right', this.nothing(), codes);
    this.left[node] = left();
    this.right[node] = right();
    return node;
  }

  /** While `grow` runs, the input is known to be at most, or above, the threshold. */
  knowing({ input, threshold }: SplitQuestion, side: Side, grow: Grow): number {
    const { low, high } = this.rooms.get(input) ?? ANYWHERE;
    const room = side === 'left' ? { low, high: Math.min(high, threshold) } : { low: Math.max(low, threshold), high };
    return this.inRoom(input, { ...room, isMissing: false }, grow);
  }

  finish(precision: 'float32' | 'float64'): TreeDocument {
    const { feature, threshold, left, right, value, missing, categories } = this;
    const sets = categories.some((codes) => codes) ? { categories } : {};
    return { feature, threshold, left, right, value, missing, comparison: '<=', precision, ...sets };
  }

  private roomAt({ input, threshold, isMissingLeft }: SplitQuestion, side: Side): Room | null {
    const { low, high, isMissing } = this.rooms.get(input) ?? ANYWHERE;
    const isLeft = side === 'left';
    const room = {
      low: isLeft ? low : Math.max(low, threshold),
      high: isLeft ? Math.min(high, threshold) : high,
      isMissing: isMissing && isMissingLeft === isLeft,
    };
    return room.low < room.high || room.isMissing ? room : null;
  }

  private inRoom(input: number, room: Room, grow: Grow): number {
    const before = this.rooms.get(input) ?? ANYWHERE;
    this.rooms.set(input, room);
    const node = grow();
    this.rooms.set(input, before);
    return node;
  }

  private nothing = (): number[] => Array<number>(this.outputs).fill(0);

  private add(feature: number, threshold: number, missing: Side, value: number[], codes: number[] | null): number {
    this.budget.spend(1);
    this.feature.push(feature);
    this.threshold.push(threshold);
    this.left.push(-1);
    this.right.push(-1);
    this.value.push(value);
    this.missing.push(missing);
    return this.categories.push(codes) - 1;
  }
}
