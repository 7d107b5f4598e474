/**
 * Branch and bound over a person's domain, for methods that relax lattices, categories, the cap on changes and
 * alternatives. The method brings two things: a relaxation of a node with a lower bound, and an answer for a node in which
 * every lattice value and category is fixed.
 *
 *   a value between lattice points: below | above        a split category: only its largest column | without it
 *   too many changes: changed | unchanged                 a broken clause: one child per alternative
 *
 * Relaxations see the region widened by a hair, fixed nodes see it narrowed by as much, and an answer counts only if the
 * model itself agrees: a lattice point exactly on the boundary is neither lost nor taken on trust.
 *
 * Best bound first, with a dive into the first child. A node whose relaxation is exact and lies on the lattice is closed;
 * one whose relaxation is only a bound gives its answer and is split further.
 */
import type { Feature } from '../../models/features.js';
import type { LinearRow } from '../../models/region.js';
import { copyDomain, createDomain, type Domain, mayStand, pin } from '../../policy/domain.js';
import { type Problem, withPiece } from '../../problems/problem.js';
import { BestAnswer } from '../shared/best-answer.js';
import { linkSlack, violation } from '../shared/linear-rows.js';
import { NodeHeap } from '../shared/node-heap.js';
import { INFEASIBLE, type Limits, limit, type Outcome, solved } from '../solver.js';

export interface TreeNode {
  readonly domain: Domain;
  readonly changed: ReadonlySet<number>;
  /** By clause: the alternative that this node holds to, or -1. */
  readonly alternatives: readonly number[];
  readonly bound: number;
}

export interface TreeMethod {
  /** What it solves with: named, so that their memory can be counted. */
  readonly engines: readonly object[];
  /** `solved`: x is the optimum of the relaxation; `limit`: only the bound is certain. */
  relax(node: TreeNode, limits: Limits): Outcome;
  /** The same for a node whose lattice values and categories are fixed: an answer if there is one. */
  leaf(node: TreeNode, limits: Limits): Outcome;
  /** A first answer, or the proof that there is none. */
  begin?(domain: Domain, limits: Limits): Outcome;
}

const ON_LATTICE = 1e-7;
const WORTH = 1e-7;
const MOVED = 1e-12;

export class DomainTree {
  private readonly best: BestAnswer;
  /** Least bound of fixed nodes that were answered but not proved. */
  private unresolved = Infinity;

  constructor(
    private readonly problem: Problem,
    private readonly method: TreeMethod,
  ) {
    this.best = new BestAnswer(problem);
  }

  solve(domain: Domain, limits: Limits): Outcome {
    this.unresolved = Infinity;
    this.best.begin(domain);
    const start = this.method.begin?.(domain, limits);
    if (start?.status === 'infeasible') return INFEASIBLE;
    const root = this.root(domain);
    const open = new NodeHeap<TreeNode>();
    open.push(root, 0);
    let next = start?.x ? this.beginWith(root, start.x) : undefined;
    while (next || open.size) {
      const node: TreeNode = next ?? open.pop()!;
      next = undefined;
      if (!this.worthwhile(node.bound)) continue;
      if (limits.anyAnswer && this.best.isFound) return limit(this.best.x, 0);
      if (limits.budget.isSpent) return this.cut(Math.min(node.bound, open.least()));
      const outcome = this.method.relax(node, { ...limits, nudge: -limits.nudge });
      if (outcome.status === 'infeasible') continue;
      const bound = Math.max(node.bound, outcome.lowerBound);
      if (!this.worthwhile(bound)) continue;
      const [first, ...others] = this.branch({ ...node, bound }, outcome, limits);
      next = first;
      for (const child of others) open.push(child, bound);
    }
    return this.conclude();
  }

  private worthwhile(bound: number): boolean {
    return bound < this.best.cost * (1 - WORTH);
  }

  private cut(bound: number): Outcome {
    return limit(this.best.isFound ? this.best.x : null, Math.min(bound, this.unresolved, this.best.cost));
  }

  private conclude(): Outcome {
    if (this.unresolved < this.best.cost * (1 - WORTH)) return this.cut(Infinity);
    return this.best.isFound ? solved(this.best.x, this.best.cost * (1 - WORTH)) : INFEASIBLE;
  }

  /** Takes a first answer and returns the part in which only its features change. */
  private beginWith(root: TreeNode, x: Float64Array): TreeNode | undefined {
    this.best.offer(x);
    const still = this.problem.space.features.filter((feature) => !moved(feature, root.domain, x));
    return this.pinAll(root, still)[0];
  }

  private root(domain: Domain): TreeNode {
    const own = this.copy(domain);
    for (const feature of this.problem.space.features) takeLast(own, feature);
    return {
      domain: own,
      changed: new Set(),
      alternatives: this.problem.clauses.map(() => -1),
      bound: 0,
    };
  }

  private copy(domain: Domain): Domain {
    const fresh = createDomain(this.problem.space);
    copyDomain(domain, fresh);
    return fresh;
  }

  /** Takes the node's answer if it has one; returns the children that may hold better ones. */
  private branch(node: TreeNode, relaxed: Outcome, limits: Limits): TreeNode[] {
    const { space, clauses, maxChanges } = this.problem;
    const x = relaxed.x ?? clip(node.domain);
    const changed = space.features.filter((feature) => moved(feature, node.domain, x));
    if (changed.length > maxChanges) return this.splitChanged(node, changed, x);
    const off = this.mostFractional(node.domain, x);
    if (off) return off.kind === 'choice' ? this.splitChoice(node, off, x) : this.splitLattice(node, off, x);
    const leaf = this.settle(node, x, limits);
    const answer = leaf.x;
    if (!answer) return this.splitOff(node, x, leaf);
    const broken = clauses.findIndex(
      (clause, k) => node.alternatives[k] < 0 && clause.rows.every((row) => violation(row, answer) > 1e-10),
    );
    if (broken >= 0)
      return clauses[broken].rows.map((_, k) => ({ ...node, alternatives: node.alternatives.with(broken, k) }));
    if (!this.isAnswer(node, answer)) return this.splitOff(node, x, { ...leaf, status: 'limit' });
    this.best.offer(answer);
    return relaxed.status === 'solved' ? [] : this.splitOff(node, x, leaf);
  }

  private mostFractional(domain: Domain, x: Float64Array): Feature | undefined {
    let worst: Feature | undefined;
    let most = ON_LATTICE;
    for (const feature of this.problem.space.features) {
      const off =
        feature.kind === 'choice'
          ? splitShare(feature, domain, x)
          : this.offLattice(feature, domain, x[feature.column]);
      if (off > most) {
        most = off;
        worst = feature;
      }
    }
    return worst;
  }

  private offLattice({ index, column }: Feature, domain: Domain, value: number): number {
    const step = domain.step[index];
    if (step === 0 || domain.lower[column] === domain.upper[column]) return 0;
    const steps = (value - domain.origin[column]) / step;
    const rank = domain.ranks[index];
    if (rank && rank[Math.round(value)] !== 1) return 0.5;
    return Math.abs(steps - Math.round(steps));
  }

  private splitLattice(node: TreeNode, { index, column }: Feature, x: Float64Array): TreeNode[] {
    const { origin, step, ranks, lower, upper } = node.domain;
    let below = Math.floor((x[column] - origin[column]) / step[index] + ON_LATTICE);
    let above = below + 1;
    const gap = (k: number) => ranks[index] && ranks[index]![origin[column] + k] !== 1;
    while (gap(below) && origin[column] + below > lower[column]) below--;
    while (gap(above) && origin[column] + above < upper[column]) above++;
    const down = this.copy(node.domain);
    down.upper[column] = origin[column] + below * step[index];
    const up = this.copy(node.domain);
    up.lower[column] = origin[column] + above * step[index];
    const parts = [gap(below) ? null : down, gap(above) ? null : up];
    return parts.flatMap((domain) =>
      domain && domain.lower[column] <= domain.upper[column] ? [{ ...node, domain }] : [],
    );
  }

  private splitChoice(node: TreeNode, feature: Feature, x: Float64Array): TreeNode[] {
    let largest = feature.column;
    for (let c = feature.column; c < feature.column + feature.width; c++) if (x[c] > x[largest]) largest = c;
    const without = this.copy(node.domain);
    without.upper[largest] = 0;
    takeLast(without, feature);
    const only = this.copy(node.domain);
    for (let c = feature.column; c < feature.column + feature.width; c++) if (c !== largest) only.upper[c] = 0;
    only.lower[largest] = 1;
    return [only, without].map((domain) => ({ ...node, domain }));
  }

  /** The node with every lattice value and category exactly on the point nearest to x. */
  private settle(node: TreeNode, x: Float64Array, limits: Limits): Outcome {
    const fixed = this.copy(node.domain);
    let movable = false;
    for (const feature of this.problem.space.features) {
      for (let c = feature.column; c < feature.column + feature.width; c++) {
        const point = pointNear(feature, fixed, c, x[c]);
        // A relaxation that is only a bound may lie outside of the node.
        if (point !== undefined)
          fixed.lower[c] = fixed.upper[c] = Math.min(fixed.upper[c], Math.max(fixed.lower[c], point));
        else movable ||= fixed.lower[c] < fixed.upper[c];
      }
    }
    if (movable) return this.method.leaf({ ...node, domain: fixed }, limits);
    const point = clip(fixed);
    return this.isAnswer(node, point) ? solved(point, node.bound) : INFEASIBLE;
  }

  /** Whether a point keeps the cap, the policy's rows and the node's alternatives, and the model agrees. */
  private isAnswer({ alternatives, domain }: TreeNode, x: Float64Array): boolean {
    const { space, maxChanges, holds } = this.problem;
    if (space.features.filter((feature) => moved(feature, domain, x)).length > maxChanges) return false;
    if (!space.features.every((feature) => isWhole(feature, domain, x))) return false;
    const chosen = alternatives.flatMap((k, clause) => (k < 0 ? [] : [this.problem.clauses[clause].rows[k]]));
    const keeps = (row: LinearRow) => violation(row, x) <= 10 * linkSlack(row, domain.origin);
    return [...this.problem.links, ...chosen].every(keeps) && holds(x);
  }

  /** The other lattice points of a node whose nearest one has been dealt with. */
  private splitOff(node: TreeNode, x: Float64Array, leaf: Outcome): TreeNode[] {
    const { lower, upper, step } = node.domain;
    const free = this.problem.space.features.find(
      (f) => f.kind !== 'choice' && step[f.index] > 0 && lower[f.column] < upper[f.column],
    );
    if (free) return this.threeWays(node, free, x);
    const choice = this.problem.space.features.find((f) => f.kind === 'choice' && openCategories(f, node.domain) > 1);
    if (choice) return this.splitChoice(node, choice, x);
    if (leaf.status !== 'solved' && leaf.status !== 'infeasible')
      this.unresolved = Math.min(this.unresolved, Math.max(node.bound, leaf.lowerBound));
    return [];
  }

  /** below | at | above the lattice point nearest to x */
  private threeWays(node: TreeNode, { column: c, index }: Feature, x: Float64Array): TreeNode[] {
    const { origin, lower, upper, step } = node.domain;
    const nearest = Math.round((x[c] - origin[c]) / step[index]);
    // Counted from the origin, as the domain's ends are: a point must not be lost to rounding.
    const point = (k: number) => origin[c] + step[index] * k;
    const parts: [number, number][] = [
      [point(nearest), point(nearest)],
      [lower[c], point(nearest - 1)],
      [point(nearest + 1), upper[c]],
    ];
    return parts
      .filter(([low, high]) => low <= high)
      .map(([low, high]) => {
        const domain = this.copy(node.domain);
        domain.lower[c] = low;
        domain.upper[c] = high;
        return { ...node, domain };
      });
  }

  /** changed | unchanged, for the undecided feature that the relaxation spends most on. */
  private splitChanged(node: TreeNode, changes: readonly Feature[], x: Float64Array): TreeNode[] {
    const undecided = changes.filter((feature) => !node.changed.has(feature.index));
    if (node.changed.size >= this.problem.maxChanges) return this.pinAll(node, undecided);
    if (!undecided.length) return [];
    const size = (f: Feature) =>
      this.problem.cost.weight[f.index] * (f.kind === 'choice' ? 1 : (x[f.column] - node.domain.origin[f.column]) ** 2);
    const feature = undecided.reduce((a, b) => (size(b) > size(a) ? b : a));
    return [{ ...node, changed: new Set([...node.changed, feature.index]) }, ...this.pinAll(node, [feature])];
  }

  private pinAll(node: TreeNode, features: readonly Feature[]): TreeNode[] {
    if (!features.length) return [];
    const domain = this.copy(node.domain);
    for (const feature of features) {
      if (!mayStand(domain, feature)) return [];
      pin(domain, feature);
    }
    return [{ ...node, domain }];
  }
}

/** The lattice point or 0/1 nearest to a value; undefined for continuous columns. */
function pointNear(feature: Feature, { origin, step }: Domain, column: number, value: number): number | undefined {
  if (feature.kind === 'choice') return Math.round(value);
  const size = step[feature.index];
  return size === 0 ? undefined : origin[column] + size * Math.round((value - origin[column]) / size);
}

/** One category is taken, or the columns are as they were. */
function isWhole(feature: Feature, domain: Domain, x: Float64Array): boolean {
  if (feature.kind !== 'choice' || !moved(feature, domain, x)) return true;
  let sum = 0;
  for (let c = feature.column; c < feature.column + feature.width; c++)
    sum += x[c] === 0 || x[c] === 1 ? x[c] : Number.NaN;
  return sum === 1;
}

/** A category that must change and has one left is that one. */
function takeLast(domain: Domain, feature: Feature): void {
  if (feature.kind !== 'choice' || mayStand(domain, feature) || openCategories(feature, domain) !== 1) return;
  const last = domain.upper.indexOf(1, feature.column);
  if (last >= 0 && last < feature.column + feature.width) domain.lower[last] = 1;
}

/** A point of the domain near the present row; a category that may not stand becomes the first that it may be. */
export function clip(domain: Domain): Float64Array {
  const { space, origin, lower, upper } = domain;
  const x = origin.map((value, c) => Math.min(upper[c], Math.max(lower[c], value)));
  for (const feature of space.features) {
    if (feature.kind !== 'choice' || mayStand(domain, feature)) continue;
    const end = feature.column + feature.width;
    const taken = lower.indexOf(1, feature.column);
    const first = taken >= 0 && taken < end ? taken : upper.indexOf(1, feature.column);
    if (first >= 0 && first < end) x.fill(0, feature.column, end)[first] = 1;
  }
  return x;
}

function openCategories({ column, width }: Feature, { upper }: Domain): number {
  let open = 0;
  for (let c = column; c < column + width; c++) open += +(upper[c] > 0);
  return open;
}

/** The problem of a node: alternatives chosen, and each category's columns adding up to one. */
export function relaxedProblem(problem: Problem, alternatives: readonly number[]): Problem {
  const chosen = alternatives.flatMap((k, clause) => (k < 0 ? [] : [problem.clauses[clause].rows[k]]));
  const groups = problem.rules.filter((rule) => !rule.never).flatMap((rule) => sumToOne(rule.feature, problem));
  const traits = { ...problem.traits, discrete: false, capped: false, disjunctive: false };
  return withPiece(
    { ...problem, links: [...problem.links, ...groups, ...chosen], clauses: [], maxChanges: Infinity, traits },
    problem.piece,
  );
}

function sumToOne(feature: Feature, problem: Problem): LinearRow[] {
  if (feature.kind !== 'choice') return [];
  const a = new Float64Array(problem.space.columns);
  a.fill(1, feature.column, feature.column + feature.width);
  return [{ a, lower: 1, upper: 1 }];
}

/** Something prepared once for each choice of alternatives. What was prepared is a field, so that its memory can be counted. */
export interface ByAlternatives<T> {
  (alternatives: readonly number[]): T;
  readonly made: ReadonlyMap<string, T>;
}

export function byAlternatives<T>(make: (alternatives: readonly number[]) => T): ByAlternatives<T> {
  const made = new Map<string, T>();
  const take = (alternatives: readonly number[]) => {
    const key = alternatives.join();
    let known = made.get(key);
    if (known === undefined) {
      known = make(alternatives);
      made.set(key, known);
    }
    return known;
  };
  return Object.assign(take, { made });
}

/** How far a category is from being a single one, or the columns that an imputer gave it. */
function splitShare(feature: Feature, domain: Domain, x: Float64Array): number {
  if (!moved(feature, domain, x)) return 0;
  let off = 0;
  for (let c = feature.column; c < feature.column + feature.width; c++)
    off = Math.max(off, Math.abs(x[c] - Math.round(x[c])));
  return off;
}

function moved(feature: Feature, { origin }: Domain, x: Float64Array): boolean {
  for (let c = feature.column; c < feature.column + feature.width; c++) {
    if (Math.abs(x[c] - origin[c]) > MOVED * Math.max(1, Math.abs(origin[c]))) return true;
  }
  return false;
}
