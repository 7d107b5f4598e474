/**
 * The goal as a condition on the k nearest samples, if a sample votes with 1 / distance. Every goal is a list of sums over the neighbours:
 *
 *   Σ_i c_i / d_i >= 0       class t against class j    c_i = [i of t] - [i of j] - margin
 *                            score of t in an interval  c_i = [i of t] - from,     c_i = to - [i of t]
 *                            mean in an interval        c_i = y_i - from,          c_i = to - y_i
 *
 * For a fixed set of neighbours, the sums have linear bounds within a box of inputs (radial-rows.ts).
 */
import { atLeast, type LinearRow, type NeighboursAtom, pullBackRow } from '../../models/region.js';
import type { BoxSplit, InputBox } from './input-box.js';
import { RadialSum, type RadialTerm } from './radial-rows.js';
import type { BoxedVotes, Votes, Way } from './votes.js';

/** The coefficient c_i of a sample, by its label. */
type Coefficient = (label: number) => number;

/** The rounding error of a sum of votes, relative to the sizes of the votes. */
const SLACK = 1e-12;

/** φ(t) = 1 / distance, as a function of the compared value t. */
const RECIPROCAL = {
  euclidean: { value: (t: number) => 1 / Math.sqrt(t), slope: (t: number) => -0.5 / (t * Math.sqrt(t)) },
  manhattan: { value: (t: number) => 1 / t, slope: (t: number) => -1 / (t * t) },
};

export class DistanceVotes implements Votes, BoxedVotes {
  readonly within = this;
  readonly target: number;
  readonly ways: readonly Way[];
  private readonly sums: readonly Coefficient[];
  private readonly radial: RadialSum;
  private readonly centres: readonly Float64Array[];

  constructor(private readonly atom: NeighboursAtom) {
    const { nearest, goal, classes } = atom;
    this.sums = coefficientsOf(atom);
    this.radial = new RadialSum(nearest.metric, RECIPROCAL[nearest.metric]);
    this.centres = Array.from({ length: nearest.count }, (_, s) =>
      nearest.samples.subarray(s * nearest.inputs, (s + 1) * nearest.inputs),
    );
    const isNeeded = classes > 0 && (goal.kind === 'class' || goal.from > 0);
    this.target = isNeeded ? goal.index : -1;
    this.ways = this.waysFor(isNeeded);
  }

  /** One neighbour of the class is needed, and can be enough. */
  private waysFor(isNeeded: boolean): Way[] {
    const { labels, classes, nearest } = this.atom;
    if (isNeeded && !labels.includes(this.target)) return [];
    const need = new Float64Array(classes);
    if (isNeeded) need[this.target] = 1;
    return [{ need, most: new Float64Array(classes).fill(nearest.k), needed: +isNeeded, suffices: false }];
  }

  /** Whether each sum can reach 0: decided neighbours with their largest votes, and the best of the other samples. */
  mayReach(inside: readonly number[], outside: readonly number[], box: InputBox | null): boolean {
    if (!box || !inside.length) return true;
    const { labels, nearest } = this.atom;
    const isOpen = inside.length < nearest.k;
    const others = isOpen
      ? this.centres.map((_, s) => s).filter((s) => !inside.includes(s) && !outside.includes(s))
      : [];
    const most = (coefficient: Coefficient) => (s: number) =>
      this.radial.most({ centre: this.centres[s], coefficient: coefficient(labels[s]) }, box);
    return this.sums.every((coefficient) => {
      const own = inside.map(most(coefficient));
      const best = others.map(most(coefficient)).sort((a, b) => b - a);
      const all = [...own, ...best.slice(0, nearest.k - inside.length)];
      const size = all.reduce((sum, value) => sum + Math.abs(value), 0);
      return all.reduce((sum, value) => sum + value, 0) >= -SLACK * size;
    });
  }

  rows(inside: readonly number[], box: InputBox, at: Float64Array): LinearRow[] {
    const { map } = this.atom;
    return this.sums.flatMap((coefficient) => {
      const bound = this.radial.above(this.terms(inside, coefficient), box, at);
      if (!bound) return [];
      const terms = bound.g.map(Math.abs);
      const row = { ...atLeast(bound.g, -bound.constant), arithmetic: { terms, constant: bound.size } };
      return [map ? pullBackRow(map, row) : row];
    });
  }

  /** Where to divide the box for the sum that is most violated at a point. */
  split(inside: readonly number[], box: InputBox, at: Float64Array): BoxSplit | null {
    const failing = this.sums
      .map((coefficient) => this.terms(inside, coefficient))
      .map((terms) => ({ terms, value: this.valueAt(terms, at) }))
      .sort((a, b) => a.value - b.value);
    return this.radial.split(failing[0].terms, box, at);
  }

  private valueAt(terms: readonly RadialTerm[], at: Float64Array): number {
    const { value } = RECIPROCAL[this.atom.nearest.metric];
    const votes = terms.map(({ centre, coefficient }) => coefficient * value(this.radial.distance(centre, at)));
    const sum = votes.reduce((total, vote) => total + vote, 0);
    return Number.isNaN(sum) ? 0 : sum;
  }

  private terms(inside: readonly number[], coefficient: Coefficient): RadialTerm[] {
    return inside.map((s) => ({ centre: this.centres[s], coefficient: coefficient(this.atom.labels[s]) }));
  }
}

function coefficientsOf({ goal, classes }: NeighboursAtom): Coefficient[] {
  if (goal.kind === 'class')
    return Array.from({ length: classes }, (_, rival) => rival)
      .filter((rival) => rival !== goal.index)
      .map((rival) => (label) => +(label === goal.index) - +(label === rival) - goal.margin);
  const share = classes ? (label: number) => +(label === goal.index) : (label: number) => label;
  const { from, to } = goal;
  const lower: Coefficient[] = from > -Infinity ? [(label) => share(label) - from] : [];
  const upper: Coefficient[] = to < Infinity ? [(label) => to - share(label)] : [];
  return [...lower, ...upper];
}
