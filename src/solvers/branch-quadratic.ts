/**
 * Branch and bound over projections: integers, steps, categories, at most K changes and alternatives under L2 or
 * Mahalanobis cost. Exact and anytime.
 *
 *   relaxation of a node   the row's domain with narrower bounds, lattices dropped, each category's columns a simplex
 *                          Σ z = 1 with cost ½w‖z - e‖² (w at every corner but the present one): a projection
 *   branching              a value between lattice points: below | above;  a split category: without its largest
 *                          column | only it;  too many changes: unchanged | changed;  a broken clause: per alternative
 *
 * Two things make it fast where few features may change. The bound: the projection's multipliers, scaled by the best s,
 * give the Lagrangian bound of lagrangian.ts, which knows lattices, categories and the cap. The start: the same problem
 * under L1 cost, solved by branch.ts, tells whether there is any answer and gives a set of features to begin with.
 */
import { type Feature, gather } from '../models/features.js';
import type { LinearRow } from '../models/region.js';
import { evaluateCost } from '../policy/cost.js';
import { copyDomain, createDomain, type Domain, pin } from '../policy/domain.js';
import { type Problem, withPiece } from '../problems/problem.js';
import { PreparedActiveSet } from './active-set.js';
import { branch } from './branch.js';
import { LagrangianBound } from './lagrangian.js';
import { NodeHeap } from './node-heap.js';
import { violation } from './rows.js';
import {
  INFEASIBLE,
  type Limits,
  limit,
  numerical,
  type Outcome,
  type Prepared,
  type Solver,
  solved,
} from './solver.js';

function accepts({ traits }: Problem): 'no' | 'exact' {
  return traits.linear && (traits.norm === 'l2' || traits.norm === 'mahalanobis') ? 'exact' : 'no';
}

interface Node {
  readonly domain: Domain;
  readonly changed: ReadonlySet<number>;
  /** By clause: the alternative that this node holds to, or -1. */
  readonly alternatives: readonly number[];
  readonly bound: number;
}

const ON_LATTICE = 1e-7;
const WORTH = 1e-7;
const MOVED = 1e-10;

class PreparedQuadraticBranch implements Prepared {
  /** Relaxations by the alternatives they hold to. */
  private readonly relaxations = new Map<string, PreparedActiveSet>();
  private readonly linearised: Prepared;
  private readonly lagrangian: LagrangianBound | null;
  private readonly best: Float64Array;
  private bestCost = Infinity;
  private readonly from: Float64Array;
  private readonly to: Float64Array;

  constructor(private readonly problem: Problem) {
    this.best = new Float64Array(problem.space.columns);
    this.from = new Float64Array(problem.space.features.length);
    this.to = new Float64Array(problem.space.features.length);
    this.linearised = branch.prepare(linearise(problem));
    this.lagrangian = problem.cost.norm === 'l2' ? new LagrangianBound(problem) : null;
  }

  solve(domain: Domain, limits: Limits): Outcome {
    this.bestCost = Infinity;
    gather(this.problem.space, domain.origin, this.from);
    const start = this.linearised.solve(domain, { ...limits, anyAnswer: true });
    if (start.status === 'infeasible') return INFEASIBLE;
    const open = new NodeHeap<Node>();
    const root = this.root(domain);
    open.push(root, 0);
    let next = start.x ? this.beginWith(root, start.x) : undefined;
    if (next && limits.anyAnswer) return limit(this.best, 0);
    let trouble = false;
    while (next || open.size) {
      const node: Node = next ?? open.pop()!;
      next = undefined;
      if (node.bound >= this.bestCost * (1 - WORTH)) continue;
      if (limits.now() > limits.deadline)
        return limit(this.bestCost < Infinity ? this.best : null, Math.min(node.bound, open.least(), this.bestCost));
      const relaxation = this.relaxation(node.alternatives);
      const outcome = relaxation.solve(node.domain, limits);
      if (outcome.status === 'numerical') trouble = true;
      if (outcome.status !== 'solved') continue;
      const bound = Math.max(
        node.bound,
        outcome.lowerBound,
        this.lagrangian?.bound(relaxation, node.domain, node.changed) ?? 0,
      );
      if (bound >= this.bestCost * (1 - WORTH)) continue;
      const [first, ...others] = this.branch({ ...node, bound }, outcome.x!, limits);
      next = first;
      for (const child of others) open.push(child, bound);
    }
    if (trouble) return this.bestCost < Infinity ? limit(this.best, 0) : numerical('a projection lost its footing');
    return this.bestCost < Infinity ? solved(this.best, this.bestCost * (1 - WORTH)) : INFEASIBLE;
  }

  /** Takes the linear problem's answer and returns the part in which only its features change. */
  private beginWith(root: Node, x: Float64Array): Node | undefined {
    this.offer(x);
    const still = this.problem.space.features.filter((feature) => !moved(feature, root.domain, x));
    return this.pinRest(root, still)[0];
  }

  private root(domain: Domain): Node {
    const own = this.copy(domain);
    for (const feature of this.problem.space.features) {
      // An allow list with gaps is kept by branching; the grid of decimals by rounding afterwards.
      if (feature.kind !== 'choice') continue;
      for (let c = feature.column; c < feature.column + feature.width; c++) if (own.upper[c] === 0) own.lower[c] = 0;
    }
    return { domain: own, changed: new Set(), alternatives: this.problem.clauses.map(() => -1), bound: 0 };
  }

  private copy(domain: Domain): Domain {
    const fresh = createDomain(this.problem.space);
    copyDomain(domain, fresh);
    return fresh;
  }

  private relaxation(alternatives: readonly number[]): PreparedActiveSet {
    const key = alternatives.join();
    let prepared = this.relaxations.get(key);
    if (!prepared) {
      prepared = new PreparedActiveSet(this.relaxedProblem(alternatives));
      this.relaxations.set(key, prepared);
    }
    return prepared;
  }

  private relaxedProblem(alternatives: readonly number[]): Problem {
    const { problem } = this;
    const chosen = alternatives.flatMap((k, clause) => (k < 0 ? [] : [problem.clauses[clause].rows[k]]));
    const links = [
      ...problem.links,
      ...problem.rules.filter((rule) => !rule.never).flatMap((rule) => sumToOne(rule.feature, problem)),
      ...chosen,
    ];
    return withPiece({ ...problem, links }, problem.piece);
  }

  /** Takes the relaxation's answer if it is one; returns the children that may hold better ones. */
  private branch(node: Node, x: Float64Array, limits: Limits): Node[] {
    const { space, clauses, maxChanges } = this.problem;
    const changed = space.features.filter((feature) => moved(feature, node.domain, x));
    if (changed.length > maxChanges) return this.splitChanged(node, changed, x);
    const off = this.mostFractional(node.domain, x);
    if (off) return off.kind === 'choice' ? this.splitChoice(node, off, x) : this.splitLattice(node, off, x);
    const snapped = this.snap(node, x, limits);
    if (!snapped) return this.splitOff(node, x);
    const broken = clauses.findIndex(
      (clause, k) => node.alternatives[k] < 0 && clause.rows.every((row) => violation(row, snapped) > 1e-10),
    );
    if (broken >= 0)
      return clauses[broken].rows.map((_, k) => ({ ...node, alternatives: node.alternatives.with(broken, k) }));
    this.offer(snapped);
    return [];
  }

  private mostFractional(domain: Domain, x: Float64Array): Feature | undefined {
    let worst: Feature | undefined;
    let most = ON_LATTICE;
    for (const feature of this.problem.space.features) {
      const off =
        feature.kind === 'choice' ? splitShare(feature, x) : this.offLattice(feature, domain, x[feature.column]);
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

  private splitLattice(node: Node, { index, column }: Feature, x: Float64Array): Node[] {
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
    return [down, up].filter((d) => d.lower[column] <= d.upper[column]).map((domain) => ({ ...node, domain }));
  }

  private splitChoice(node: Node, feature: Feature, x: Float64Array): Node[] {
    let largest = feature.column;
    for (let c = feature.column; c < feature.column + feature.width; c++) if (x[c] > x[largest]) largest = c;
    const without = this.copy(node.domain);
    without.upper[largest] = 0;
    const only = this.copy(node.domain);
    for (let c = feature.column; c < feature.column + feature.width; c++) if (c !== largest) only.upper[c] = 0;
    only.lower[largest] = 1;
    return [only, without].map((domain) => ({ ...node, domain }));
  }

  /** Lattice values and categories exactly on their points, the others projected anew. Null: there is no such answer. */
  private snap(node: Node, x: Float64Array, limits: Limits): Float64Array | null {
    const fixed = this.copy(node.domain);
    let exact = true;
    for (const feature of this.problem.space.features) {
      for (let c = feature.column; c < feature.column + feature.width; c++) {
        const step = feature.kind === 'choice' ? 1 : node.domain.step[feature.index];
        if (step === 0) continue;
        const point =
          feature.kind === 'choice'
            ? Math.round(x[c])
            : fixed.origin[c] + step * Math.round((x[c] - fixed.origin[c]) / step);
        if (point !== x[c]) exact = false;
        fixed.lower[c] = fixed.upper[c] = point;
      }
    }
    if (exact) return x;
    const outcome = this.relaxation(node.alternatives).solve(fixed, limits);
    return outcome.status === 'solved' ? outcome.x : null;
  }

  /** The nearest lattice point is no answer: split it off along the first feature that is free. */
  private splitOff(node: Node, x: Float64Array): Node[] {
    const { origin, lower, upper, step } = node.domain;
    const free = this.problem.space.features.find(
      (f) => f.kind !== 'choice' && step[f.index] > 0 && lower[f.column] < upper[f.column],
    );
    if (!free) return [];
    const c = free.column;
    const point = origin[c] + step[free.index] * Math.round((x[c] - origin[c]) / step[free.index]);
    const parts: [number, number][] = [
      [lower[c], point - step[free.index]],
      [point, point],
      [point + step[free.index], upper[c]],
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
  private splitChanged(node: Node, changes: readonly Feature[], x: Float64Array): Node[] {
    const undecided = changes.filter((feature) => !node.changed.has(feature.index));
    if (node.changed.size >= this.problem.maxChanges) return this.pinRest(node, undecided);
    if (!undecided.length) return [];
    const size = (f: Feature) =>
      this.problem.cost.weight[f.index] * (f.kind === 'choice' ? 1 : (x[f.column] - node.domain.origin[f.column]) ** 2);
    const feature = undecided.reduce((a, b) => (size(b) > size(a) ? b : a));
    return [{ ...node, changed: new Set([...node.changed, feature.index]) }, ...this.pinRest(node, [feature])];
  }

  private pinRest(node: Node, features: readonly Feature[]): Node[] {
    if (!features.length) return [];
    const domain = this.copy(node.domain);
    for (const feature of features) {
      const c = feature.column;
      if (domain.lower[c] > domain.origin[c] || domain.upper[c] < domain.origin[c]) return [];
      pin(domain, feature);
    }
    return [{ ...node, domain }];
  }

  private offer(x: Float64Array): void {
    const { space, cost } = this.problem;
    gather(space, x, this.to);
    const total = evaluateCost(cost, space, this.from, this.to);
    if (total >= this.bestCost) return;
    this.bestCost = total;
    this.best.set(x);
  }
}

/** The same problem under an L1 cost of the same scale. */
function linearise(problem: Problem): Problem {
  const { cost, traits } = problem;
  const weight = cost.weight.map(Math.sqrt);
  cost.metric?.features.forEach((feature, i) => {
    weight[feature.index] = Math.sqrt(cost.metric!.inverse[i][i]);
  });
  return { ...problem, cost: { ...cost, norm: 'l1', weight, metric: null }, traits: { ...traits, norm: 'l1' } };
}

function sumToOne(feature: Feature, problem: Problem): LinearRow[] {
  if (feature.kind !== 'choice') return [];
  const a = new Float64Array(problem.space.columns);
  a.fill(1, feature.column, feature.column + feature.width);
  return [{ a, lower: 1, upper: 1 }];
}

/** How far a category is from being a single one. */
function splitShare(feature: Feature, x: Float64Array): number {
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

export const branchQuadratic: Solver = {
  name: 'branch-quadratic',
  accepts,
  prepare: (problem) => new PreparedQuadraticBranch(problem),
};
