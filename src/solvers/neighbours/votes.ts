/**
 * The goal as a condition on the labels of the k nearest samples, all with the same weight. Votes by distance are in distance-votes.ts.
 *
 *   class t       votes v_t with  v_t > v_j (j < t),  v_t >= v_j (j > t),  and the margin in shares of k
 *   score of t    v_t / k  in an interval
 *   regressor     the mean of k numbers in an interval
 *
 * A way to reach the goal has at least `need_j` and at most `most_j` neighbours of every class j. Each set of neighbours that reaches the
 * goal belongs to one of the ways.
 */
import type { LinearRow, NeighboursAtom } from '../../models/region.js';
import type { BoxSplit, InputBox } from './input-box.js';

/** The rounding error of a sum, relative to the sizes of its terms. */
const ROUNDING = 1e-12;

export interface Way {
  /** Indexed by class. */
  readonly need: Float64Array;
  readonly most: Float64Array;
  /** The number of needed neighbours over all classes. */
  readonly needed: number;
  /** With this many neighbours of the target's class, the labels of the other neighbours do not matter. */
  readonly suffices: boolean;
}

export interface Votes {
  /** The class whose samples are needed. -1: no class. */
  readonly target: number;
  /** The ways. An empty list proves that no set of neighbours reaches the goal. */
  readonly ways: readonly Way[];
  /** Votes by distance. Null: only the labels decide. */
  readonly within: BoxedVotes | null;
  /** Whether the goal can still be reached in the box: with the samples `inside` among the nearest, the samples `outside` not, and any other samples. */
  mayReach(inside: readonly number[], outside: readonly number[], box: InputBox | null): boolean;
}

/** The votes of decided neighbours in a box of inputs. */
export interface BoxedVotes {
  /** Rows that hold for every point of the box that has these neighbours and reaches the goal. Tight at the inputs. */
  rows(inside: readonly number[], box: InputBox, at: Float64Array): LinearRow[];
  /** Where to divide the box to get tighter rows at the inputs. Null: nowhere. */
  split(inside: readonly number[], box: InputBox, at: Float64Array): BoxSplit | null;
}

/** Votes with equal weights. */
export function votesOf(atom: NeighboursAtom): Votes {
  const { goal, classes } = atom;
  if (!classes) return new MeanVotes(atom);
  return goal.kind === 'class' ? new ClassVotes(atom) : new ShareVotes(atom);
}

/** The number of samples of each class. */
function countClasses({ labels, classes }: NeighboursAtom): Float64Array {
  const counts = new Float64Array(classes);
  for (const label of labels) counts[label]++;
  return counts;
}

function countInside({ labels, classes }: NeighboursAtom, inside: readonly number[]): Float64Array {
  const counts = new Float64Array(classes);
  for (const sample of inside) counts[labels[sample]]++;
  return counts;
}

class ClassVotes implements Votes {
  readonly within = null;
  readonly target: number;
  readonly ways: readonly Way[];
  private readonly k: number;

  constructor(private readonly atom: NeighboursAtom) {
    this.k = atom.nearest.k;
    this.target = atom.goal.index;
    this.ways = this.listWays(countClasses(atom));
  }

  /** One way for each number of votes of the class: with more votes of the class, the other classes may have more votes too, until their number no longer matters. */
  private listWays(counts: Float64Array): Way[] {
    const ways: Way[] = [];
    for (let own = 1; own <= Math.min(this.k, counts[this.target]); own++) {
      const most = counts.map((_, j) => (j === this.target ? own : this.mostOf(own, j)));
      if (most.some((value) => value < 0)) continue;
      const suffices = most.every((value, j) => j === this.target || value === this.k - own);
      if (suffices) most[this.target] = this.k;
      const way = this.wayWith(own, counts, most, suffices);
      if (way) ways.push(way);
      if (suffices) break;
    }
    return ways;
  }

  /** A class needs the votes that the other classes cannot supply. */
  private wayWith(own: number, counts: Float64Array, most: Float64Array, suffices: boolean): Way | null {
    const others = counts.map((count, j) => (j === this.target ? 0 : Math.min(count, most[j])));
    const available = others.reduce((sum, count) => sum + count, 0);
    const open = this.k - own;
    if (available < open && !(suffices && counts[this.target] + available >= this.k)) return null;
    const need = counts.map((_, j) => (suffices ? 0 : Math.max(0, open - (available - others[j]))));
    need[this.target] = own;
    return { need, most, needed: need.reduce((sum, count) => sum + count, 0), suffices };
  }

  /** The largest number of votes that another class may have. -1: even 0 votes are too many. */
  private mostOf(own: number, j: number): number {
    let most = this.k - own;
    while (most >= 0 && !this.beats(own, most, j)) most--;
    return most;
  }

  private beats(own: number, other: number, j: number): boolean {
    const { k, target } = this;
    const { goal } = this.atom;
    const margin = goal.kind === 'class' ? goal.margin : 0;
    return (j < target ? own > other : own >= other) && (margin === 0 || own / k - other / k - margin >= 0);
  }

  mayReach(inside: readonly number[]): boolean {
    const counts = countInside(this.atom, inside);
    const own = counts[this.target] + this.k - inside.length;
    return counts.every((count, j) => j === this.target || this.beats(own, count, j));
  }
}

class ShareVotes implements Votes {
  readonly within = null;
  readonly target: number;
  readonly ways: readonly Way[];
  private readonly k: number;

  constructor(private readonly atom: NeighboursAtom) {
    this.k = atom.nearest.k;
    this.target = atom.goal.index;
    const counts = countClasses(atom);
    const fitting = Array.from({ length: Math.min(this.k, counts[this.target]) + 1 }, (_, own) => own).filter(
      (own) => this.fits(own) && this.k - own <= atom.nearest.count - counts[this.target],
    );
    const [needed] = fitting;
    const need = counts.map((_, j) => (j === this.target ? needed : 0));
    const most = counts.map(() => this.k);
    const suffices = needed > 0 && this.fits(this.k);
    this.ways = needed === undefined ? [] : [{ need, most, needed, suffices }];
  }

  private fits(own: number): boolean {
    const { goal } = this.atom;
    return goal.kind === 'interval' && own / this.k >= goal.from && own / this.k <= goal.to;
  }

  mayReach(inside: readonly number[]): boolean {
    const own = countInside(this.atom, inside)[this.target];
    for (let more = 0; more <= this.k - inside.length; more++) if (this.fits(own + more)) return true;
    return false;
  }
}

class MeanVotes implements Votes {
  readonly within = null;
  readonly target = -1;
  readonly ways: readonly Way[] = [{ need: new Float64Array(), most: new Float64Array(), needed: 0, suffices: false }];
  private readonly least: number;
  private readonly most: number;
  private readonly slack: number;

  constructor(private readonly atom: NeighboursAtom) {
    this.least = atom.labels.reduce((a, b) => Math.min(a, b), Infinity);
    this.most = atom.labels.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
    this.slack = ROUNDING * atom.nearest.k * Math.max(Math.abs(this.least), Math.abs(this.most));
  }

  mayReach(inside: readonly number[]): boolean {
    const { goal, labels, nearest } = this.atom;
    if (goal.kind === 'class') return false;
    const sum = inside.reduce((total, sample) => total + labels[sample], 0);
    const open = nearest.k - inside.length;
    const ends = (goal.from === -Infinity ? 0 : Math.abs(goal.from)) + (goal.to === Infinity ? 0 : Math.abs(goal.to));
    const slack = this.slack + ROUNDING * nearest.k * ends;
    return (
      sum + open * this.most >= goal.from * nearest.k - slack && sum + open * this.least <= goal.to * nearest.k + slack
    );
  }
}
