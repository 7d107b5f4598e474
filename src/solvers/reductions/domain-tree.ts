/**
 * Branch and bound over a person's domain, for methods that relax lattices, categories, the cap on changes and
 * alternatives. The method provides a relaxation of a node with a lower bound, and an answer for a node in which every
 * lattice value and category is fixed.
 *
 *   a value between lattice points: below | above        a split category: only its largest column | without it
 *   too many changes: changed | unchanged                 a broken clause: one child per alternative
 *
 * Relaxations use a slightly widened region, fixed nodes a region narrowed by the same amount, and an answer counts only if the
 * model itself agrees: a lattice point exactly on the boundary is neither lost nor accepted unchecked.
 *
 * Nodes are visited best bound first, with a dive into the first child. A node that gave an answer is closed where its bound meets the
 * incumbent's cost, and split further elsewhere: the result of a fixed node proves nothing about the node's other values.
 */
import { nextDown, nextUp } from '../../linalg/floats.js';
import type { Feature } from '../../models/features.js';
import type { LinearRow } from '../../models/region.js';
import { cloneDomain, type Domain, mayStand, pin } from '../../policy/domain.js';
import { mayStandStill, ON_VALUE, offValue } from '../../policy/solver-numbers.js';
import { hasMoved, isContinuous, narrowTo, nearestValue } from '../../policy/values.js';
import { type Problem, withPiece } from '../../problems/problem.js';
import { BestAnswer } from '../shared/best-answer.js';
import { keepsLink } from '../shared/linear-rows.js';
import { NodeHeap } from '../shared/node-heap.js';
import { INFEASIBLE, type Limits, limit, type Outcome, solved } from '../solver.js';

export interface TreeNode {
  readonly domain: Domain;
  readonly changed: ReadonlySet<number>;
  /** By clause: the alternative that this node has chosen, or -1. */
  readonly alternatives: readonly number[];
  readonly bound: number;
}

export interface TreeMethod {
  /** The engines of the method, listed so that their memory can be counted. */
  readonly engines: readonly object[];
  /** `solved`: x is the optimum of the relaxation. `limit`: only the bound is proved. */
  relax(node: TreeNode, limits: Limits): Outcome;
  /** The same for a node whose lattice values and categories are fixed: an answer if one exists. */
  leaf(node: TreeNode, limits: Limits): Outcome;
  /** A first answer with a bound, the best answer, or the proof of infeasibility. */
  begin?(domain: Domain, limits: Limits): Outcome;
}

const WORTH = 1e-7;
/** Work of a node apart from its relaxation, in units of effort: a fixed part and a part for each column. */
const NODE_WORK = 4;
const COLUMN_WORK = 0.15;

export class DomainTree {
  private readonly best: BestAnswer;
  /** The least bound of fixed nodes that are not proved empty, and of the nodes that were closed. */
  private unresolved = Infinity;
  private closed = Infinity;
  private limits!: Limits;

  constructor(
    private readonly problem: Problem,
    private readonly method: TreeMethod,
  ) {
    this.best = new BestAnswer(problem);
  }

  solve(domain: Domain, limits: Limits): Outcome {
    this.unresolved = this.closed = Infinity;
    this.limits = limits;
    this.best.begin(domain);
    const start = this.method.begin?.(domain, limits);
    if (start?.status === 'infeasible') return INFEASIBLE;
    if (start?.status === 'solved') return start;
    const root = this.root(domain, Math.max(0, start?.lowerBound ?? 0));
    const open = new NodeHeap<TreeNode>();
    open.push(root, root.bound);
    let next = start?.x ? this.beginWith(root, start.x) : undefined;
    while (next || open.size) {
      const node: TreeNode = next ?? open.pop()!;
      next = undefined;
      if (this.isClosed(node.bound)) continue;
      if (limits.anyAnswer && this.best.isFound) return limit(this.best.x, 0);
      if (limits.budget.isSpent) return this.cut(Math.min(node.bound, open.least()));
      limits.budget.spend(NODE_WORK + COLUMN_WORK * this.problem.space.columns);
      const outcome = this.method.relax(node, { ...limits, nudge: -limits.nudge });
      if (outcome.status === 'infeasible') continue;
      const bound = Math.max(node.bound, outcome.lowerBound);
      if (this.isClosed(bound)) continue;
      const [first, ...others] = this.branch({ ...node, bound }, outcome, limits);
      next = first;
      for (const child of others) open.push(child, bound);
    }
    return this.conclude();
  }

  /** Whether a bound proves that no better answer is worth finding. The bound of a closed node is kept. */
  private isClosed(bound: number): boolean {
    const { cutoff, gap } = this.limits;
    const isClosed = bound >= Math.min(this.best.cost, cutoff) * (1 - Math.max(WORTH, gap));
    if (isClosed) this.closed = Math.min(this.closed, bound);
    return isClosed;
  }

  private cut(bound: number): Outcome {
    return limit(this.best.isFound ? this.best.x : null, Math.min(bound, this.unresolved, this.closed, this.best.cost));
  }

  private conclude(): Outcome {
    return this.best.conclude(Math.min(this.closed, this.unresolved));
  }

  /** Takes a first answer. Returns the part of the domain in which only the answer's features change. */
  private beginWith(root: TreeNode, x: Float64Array): TreeNode | undefined {
    this.best.offer(x);
    const still = this.problem.space.features.filter((feature) => mayStandStill(feature, root.domain, x));
    return this.pinAll(root, still)[0];
  }

  private root(domain: Domain, bound: number): TreeNode {
    const own = cloneDomain(domain);
    for (const feature of this.problem.space.features) takeLast(own, feature);
    return {
      domain: own,
      changed: new Set(),
      alternatives: this.problem.clauses.map(() => -1),
      bound,
    };
  }

  /** Takes the node's answer if it has one. Returns the children that may contain better answers. */
  private branch(node: TreeNode, relaxed: Outcome, limits: Limits): TreeNode[] {
    const { space, clauses, maxChanges } = this.problem;
    const x = relaxed.x ?? clip(node.domain);
    const changed = space.features.filter((feature) => !mayStandStill(feature, node.domain, x));
    if (changed.length > maxChanges) return this.splitChanged(node, changed, x);
    const off = this.mostFractional(node.domain, x);
    if (off) return off.kind === 'choice' ? this.splitChoice(node, off, x) : this.splitLattice(node, off, x);
    const leaf = this.settle(node, x, limits);
    const answer = leaf.x;
    if (!answer) return this.splitOff(node, x, leaf);
    const isKept = (row: LinearRow) => keepsLink(row, answer);
    const broken = clauses.findIndex((clause, k) => node.alternatives[k] < 0 && !clause.rows.some(isKept));
    if (broken >= 0)
      return clauses[broken].rows.map((_, k) => ({ ...node, alternatives: node.alternatives.with(broken, k) }));
    const taken = [withoutRounding(node.domain, answer), answer].find((point) => this.isAnswer(node, point));
    if (!taken) return this.splitOff(node, x, { ...leaf, status: 'limit' });
    this.best.offer(taken);
    return this.isClosed(node.bound) ? [] : this.splitOff(node, x, leaf);
  }

  private mostFractional(domain: Domain, x: Float64Array): Feature | undefined {
    let worst: Feature | undefined;
    let most = ON_VALUE;
    for (const feature of this.problem.space.features) {
      const off =
        feature.kind === 'choice' ? splitShare(feature, domain, x) : offValue(domain, feature, x[feature.column]);
      if (off > most) {
        most = off;
        worst = feature;
      }
    }
    return worst;
  }

  /** below | above a number that is not permitted */
  private splitLattice(node: TreeNode, feature: Feature, x: Float64Array): TreeNode[] {
    const at = x[feature.column];
    return this.intervals(node, feature, [
      [Number.NEGATIVE_INFINITY, at],
      [at, Infinity],
    ]);
  }

  /** The parts of a node with a numeric feature in one of the intervals. Empty parts are left out. */
  private intervals(node: TreeNode, feature: Feature, parts: readonly (readonly [number, number])[]): TreeNode[] {
    return parts.flatMap(([low, high]) => {
      const domain = cloneDomain(node.domain);
      return narrowTo(domain, feature, low, high) ? [{ ...node, domain }] : [];
    });
  }

  private splitChoice(node: TreeNode, feature: Feature, x: Float64Array): TreeNode[] {
    let largest = feature.column;
    for (let c = feature.column; c < feature.column + feature.width; c++) if (x[c] > x[largest]) largest = c;
    const without = cloneDomain(node.domain);
    without.upper[largest] = 0;
    takeLast(without, feature);
    const only = cloneDomain(node.domain);
    for (let c = feature.column; c < feature.column + feature.width; c++) if (c !== largest) only.upper[c] = 0;
    only.lower[largest] = 1;
    return [only, without].map((domain) => ({ ...node, domain }));
  }

  /** Solves the node with every lattice value and category fixed at the permitted value nearest to x. */
  private settle(node: TreeNode, x: Float64Array, limits: Limits): Outcome {
    const domain = cloneDomain(node.domain);
    let movable = false;
    for (const feature of this.problem.space.features) {
      if (isFreeNumber(domain, feature)) movable ||= domain.lower[feature.column] < domain.upper[feature.column];
      else fixNear(domain, feature, x);
    }
    if (movable) return this.settleFree({ ...node, domain }, limits);
    const point = clip(domain);
    return this.isAnswer(node, point) ? solved(point, this.best.costOf(point)) : INFEASIBLE;
  }

  /** Emptiness of the narrowed region is a proof only where the widened region is empty too. */
  private settleFree(fixed: TreeNode, limits: Limits): Outcome {
    const leaf = this.method.leaf(fixed, limits);
    if (leaf.status !== 'infeasible') return leaf;
    const outer = this.method.relax(fixed, { ...limits, nudge: -limits.nudge });
    return outer.status === 'infeasible' ? INFEASIBLE : limit(null, outer.lowerBound);
  }

  /** Whether a point keeps the cap, the policy's rows and the node's alternatives, and the model agrees. */
  private isAnswer({ alternatives, domain }: TreeNode, x: Float64Array): boolean {
    const { space, maxChanges, holds } = this.problem;
    if (space.features.filter((feature) => hasMoved(feature, domain.origin, x)).length > maxChanges) return false;
    if (!space.features.every((feature) => isWhole(feature, domain, x))) return false;
    const chosen = alternatives.flatMap((k, clause) => (k < 0 ? [] : [this.problem.clauses[clause].rows[k]]));
    const keeps = (row: LinearRow) => keepsLink(row, x);
    return [...this.problem.links, ...chosen].every(keeps) && holds(x);
  }

  /** The other lattice points of a node whose nearest lattice point is settled. */
  private splitOff(node: TreeNode, x: Float64Array, leaf: Outcome): TreeNode[] {
    const { lower, upper } = node.domain;
    const free = this.problem.space.features.find(
      (f) => f.kind !== 'choice' && lower[f.column] < upper[f.column] && !isContinuous(node.domain, f),
    );
    if (free) return this.threeWays(node, free, x);
    const choice = this.problem.space.features.find((f) => f.kind === 'choice' && openCategories(f, node.domain) > 1);
    if (choice) return this.splitChoice(node, choice, x);
    if (leaf.status !== 'infeasible')
      this.unresolved = Math.min(this.unresolved, Math.max(node.bound, leaf.lowerBound));
    return [];
  }

  /** below | at | above the value nearest to x */
  private threeWays(node: TreeNode, feature: Feature, x: Float64Array): TreeNode[] {
    const nearest = nearestValue(node.domain, feature, x[feature.column]);
    return this.intervals(node, feature, [
      [nearest, nearest],
      [Number.NEGATIVE_INFINITY, nextDown(nearest)],
      [nextUp(nearest), Infinity],
    ]);
  }

  /** changed | unchanged, for the undecided feature on which the relaxation spends most. */
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
    const domain = cloneDomain(node.domain);
    for (const feature of features) {
      if (!mayStand(domain, feature)) return [];
      pin(domain, feature);
    }
    return [{ ...node, domain }];
  }
}

const isFreeNumber = (domain: Domain, feature: Feature): boolean =>
  feature.kind !== 'choice' && isContinuous(domain, feature);

/**
 * Fixes a feature at the permitted value, or at the shares of categories, nearest to a relaxation's point. Some relaxations lie outside
 * their node.
 */
function fixNear(domain: Domain, feature: Feature, x: Float64Array): void {
  const { kind, column, width } = feature;
  const { lower, upper } = domain;
  if (kind !== 'choice') lower[column] = upper[column] = nearestValue(domain, feature, x[column]);
  else
    for (let c = column; c < column + width; c++)
      lower[c] = upper[c] = Math.min(upper[c], Math.max(lower[c], Math.round(x[c])));
}

/** A copy of an answer in which features that moved only by an engine's rounding keep their present values. */
function withoutRounding(domain: Domain, x: Float64Array): Float64Array {
  const copy = x.slice();
  for (const feature of domain.space.features) {
    const { column, width } = feature;
    if (!mayStandStill(feature, domain, x) || !mayStand(domain, feature)) continue;
    copy.set(domain.origin.subarray(column, column + width), column);
  }
  return copy;
}

/** Whether one category is taken or the columns are unchanged. */
function isWhole(feature: Feature, domain: Domain, x: Float64Array): boolean {
  if (feature.kind !== 'choice' || !hasMoved(feature, domain.origin, x)) return true;
  let sum = 0;
  for (let c = feature.column; c < feature.column + feature.width; c++)
    sum += x[c] === 0 || x[c] === 1 ? x[c] : Number.NaN;
  return sum === 1;
}

/** Fixes a category that must change and has one value left. */
function takeLast(domain: Domain, feature: Feature): void {
  if (feature.kind !== 'choice' || mayStand(domain, feature) || openCategories(feature, domain) !== 1) return;
  const last = domain.upper.indexOf(1, feature.column);
  if (last >= 0 && last < feature.column + feature.width) domain.lower[last] = 1;
}

/** A point of the domain near the present row. A category that must change takes its first open value. */
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

/** The problem of a node: the chosen alternatives are rows, and the columns of each category add up to one. */
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

/** A value prepared once for each choice of alternatives. The prepared values are a field, so that their memory can be counted. */
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

/** The distance of a category's columns from a single category, or from the columns that an imputer gave. */
function splitShare(feature: Feature, domain: Domain, x: Float64Array): number {
  if (mayStandStill(feature, domain, x)) return 0;
  let off = 0;
  for (let c = feature.column; c < feature.column + feature.width; c++)
    off = Math.max(off, Math.abs(x[c] - Math.round(x[c])));
  return off;
}
