/**
 * Branch and bound over the bounded simplex: integers, steps, categories, at most K changes, alternatives, and the costs
 * L0, L1 and percentile, over any linear rows. Exact and anytime: it stops with the best answer and a lower bound.
 *
 *   relaxation of a node   moves are continuous; "feature f changes" is  up/room + down/room  in [0, 1], so that at most
 *                          K changes is one row, and a fixed price for changing at all is a slope
 *   a cost that is no line is replaced by the steepest line below it on the node's interval, from its cheap end
 *   branching              a move between lattice points: below | above;  too many changes: unchanged | changed;
 *                          a broken clause: one child per alternative;  a cost above its line: split the interval
 *
 * Relaxations see the region widened by a hair, leaves see it narrowed by as much, and a leaf counts only if the model
 * itself agrees: a lattice point exactly on the boundary is neither lost nor taken on trust.
 *
 * Nodes are taken best first, with a dive into the better child, so answers come early. Every node is solved from
 * scratch: a small tableau is cheaper to rebuild than to keep exact.
 */
import { copyDomain, createDomain, type Domain, pin } from '../../policy/domain.js';
import { unlimited } from '../../problems/budget.js';
import type { Problem } from '../../problems/problem.js';
import { linkSlack, provesInfeasible, violation } from '../shared/linear-rows.js';
import { NodeHeap } from '../shared/node-heap.js';
import {
  INFEASIBLE,
  type Limits,
  limit,
  numerical,
  type Outcome,
  type Prepared,
  type Solver,
  solved,
} from '../solver.js';
import { BoundedSimplex } from './bounded-simplex.js';
import { CostLines, NO_MOVE } from './cost-lines.js';
import { MoveModel } from './moves.js';

function accepts({ traits }: Problem): 'no' | 'exact' {
  return traits.linear && (traits.norm === 'l0' || traits.norm === 'l1' || traits.norm === 'percentile')
    ? 'exact'
    : 'no';
}

/** A part of the search space: intervals of the moves (unscaled), which features count as changed, chosen alternatives. */
interface Node {
  readonly lo: Float64Array;
  readonly hi: Float64Array;
  readonly changed: Uint8Array;
  /** By clause: the alternative that this node holds to, or -1. */
  readonly alternative: Int32Array;
  bound: number;
}

/** A child replaces some of its parent's parts. */
type Child = Partial<Pick<Node, 'lo' | 'hi' | 'changed' | 'alternative'>>;

/** Where a relaxation sees the region's rows: a hair outside, exactly, or a hair inside; in depths from inside. */
type Side = 'outer' | 'exact' | 'inner';
const WIDTH: Record<Side, number> = { outer: 2, exact: 1, inner: 0 };

/** Distance to a lattice point that counts as being on it, in steps. */
const ON_LATTICE = 1e-7;
/** Share of the cost below which a better answer is not worth finding: well inside what counts as optimal. */
const WORTH = 1e-7;
/** A continuous move of the relaxation below this, in scaled units, is the width of the hair and not a change. */
const STANDS_STILL = 1e-9;
const CLOCK_EVERY = 16;

export class PreparedBranch implements Prepared {
  private readonly model: MoveModel;
  private readonly simplex: BoundedSimplex;
  private readonly rows: Float64Array;
  private readonly cost: Float64Array;
  private readonly values: Float64Array;
  private readonly amounts: Float64Array;
  private readonly x: Float64Array;
  private readonly best: Float64Array;
  private bestCost = Infinity;
  private trouble = false;
  private fixedCost = 0;
  private budget = unlimited();
  private readonly lines: CostLines;
  /** Costs are whole numbers (unweighted L0): bounds may be rounded up. */
  private readonly whole: boolean;
  /** L0 says which features change, not how far: of its answers the one that moves least is told. */
  private readonly least: PreparedBranch | null;

  constructor(private readonly problem: Problem) {
    this.model = new MoveModel(problem, true);
    this.lines = new CostLines(this.model);
    const { m, n } = this.model;
    this.simplex = new BoundedSimplex(m, n);
    this.rows = new Float64Array(m * n);
    this.cost = new Float64Array(n);
    this.values = new Float64Array(n);
    this.amounts = new Float64Array(n);
    this.x = new Float64Array(problem.space.columns);
    this.best = new Float64Array(problem.space.columns);
    this.whole = problem.cost.norm === 'l0' && problem.cost.weight.every((weight) => weight === problem.cost.weight[0]);
    this.least = problem.cost.norm === 'l0' ? new PreparedBranch(leastMoves(problem, this.model)) : null;
  }

  solve(domain: Domain, limits: Limits): Outcome {
    const { model } = this;
    this.budget = limits.budget;
    if (!model.fill(domain, limits.nudge)) return numerical('the row overflows');
    this.bestCost = Infinity;
    this.trouble = false;
    const open = new NodeHeap<Node>();
    const root = this.root();
    let visited = 0;
    let next: Node | undefined = root;
    let cut = Infinity;
    while (next || open.size) {
      const node: Node = next ?? open.pop()!;
      next = undefined;
      if (!this.worthwhile(node.bound)) continue;
      if (visited++ % CLOCK_EVERY === 0 && visited > 1 && limits.budget.isSpent) {
        cut = Math.min(node.bound, open.least());
        break;
      }
      const status = this.relax(node);
      if (status === 'numerical') this.trouble = true;
      if (status !== 'optimal') {
        if (node === root && status === 'infeasible') return this.certifyRoot(root, domain);
        continue;
      }
      if (!this.worthwhile(node.bound)) continue;
      const children = this.branch(node, domain);
      if (limits.anyAnswer && this.bestCost < Infinity) return limit(this.best, 0);
      next = this.dive(children, node, open);
    }
    this.moveLeast(domain, limits);
    return this.conclude(cut);
  }

  private conclude(cut: number): Outcome {
    if (this.trouble && cut === Infinity) {
      return this.bestCost < Infinity ? limit(this.best, 0) : numerical('a node lost its footing');
    }
    if (cut < Infinity) return limit(this.bestCost < Infinity ? this.best : null, Math.min(cut, this.bestCost));
    if (this.bestCost === Infinity) return INFEASIBLE;
    return solved(this.best, this.bestCost * (1 - WORTH));
  }

  /** The answer that moves least among those that change the same features. */
  private moveLeast(domain: Domain, limits: Limits): void {
    if (!this.least || this.bestCost === Infinity) return;
    const { space } = this.problem;
    const same = createDomain(space);
    copyDomain(domain, same);
    for (const feature of space.features) {
      const columns = [...this.best.keys()].slice(feature.column, feature.column + feature.width);
      if (columns.every((c) => this.best[c] === domain.origin[c])) pin(same, feature);
    }
    const outcome = this.least.solve(same, limits);
    if (outcome.x) this.best.set(outcome.x);
  }

  /** The root's relaxation holds more than rows over a box, so only a plain conflict of rows can be certified apart. */
  private certifyRoot(root: Node, domain: Domain): Outcome {
    const { model } = this;
    const multipliers = new Float64Array(model.m);
    this.simplex.readCertificate(multipliers);
    const extra = multipliers.subarray(model.always.length).some((y) => Math.abs(y) > 1e-9);
    const y = Float64Array.from(model.always, (_, i) => multipliers[i] * model.scaleOf(i));
    return extra || provesInfeasible(model.always, y, this.whatMayChange(root, domain))
      ? INFEASIBLE
      : numerical('infeasible, but the certificate is not certain');
  }

  /** Where the features that have to change are all that may, the others are pinned. */
  private whatMayChange({ changed }: Node, domain: Domain): Domain {
    const { space, maxChanges } = this.problem;
    if (changed.reduce((sum, decided) => sum + decided, 0) < maxChanges) return domain;
    const pinned = createDomain(space);
    copyDomain(domain, pinned);
    for (const feature of space.features) if (!changed[feature.index]) pin(pinned, feature);
    return pinned;
  }

  private root(): Node {
    const { model } = this;
    const changed = new Uint8Array(this.problem.space.features.length);
    for (let j = 0; j < model.n; j++) if (model.least[j] > 0) changed[model.moves[j].feature.index] = 1;
    const alternative = new Int32Array(this.problem.clauses.length).fill(-1);
    return { lo: model.least.slice(), hi: model.room.slice(), changed, alternative, bound: 0 };
  }

  private worthwhile(bound: number): boolean {
    const rounded = this.whole
      ? this.problem.cost.weight[0] * Math.ceil(bound / this.problem.cost.weight[0] - 1e-6)
      : bound;
    return rounded < this.bestCost * (1 - WORTH);
  }

  /** Solves the node's relaxation; leaves the moves in `amounts` and raises the node's bound. */
  private relax(node: Node, side: Side = 'outer'): 'optimal' | 'infeasible' | 'numerical' {
    const { model, simplex, rows } = this;
    const { n } = model;
    rows.set(model.rows);
    simplex.lo.set(model.lo);
    simplex.hi.set(model.hi);
    simplex.slack.set(model.slack);
    this.widen(WIDTH[side]);
    for (let j = 0; j < n; j++) {
      simplex.lo[j] = node.lo[j] / model.unit[j];
      simplex.hi[j] = node.hi[j] / model.unit[j];
    }
    this.fixedCost = this.lines.price(node.lo, node.hi, node.changed, this.cost);
    if (this.problem.traits.capped) this.writeChangesRow(node);
    this.writeAlternatives(node);
    const status = simplex.solve(rows, this.cost);
    this.budget.spend(simplex.work);
    if (status !== 'optimal') return status;
    simplex.read(this.values);
    let total = this.fixedCost;
    for (let j = 0; j < n; j++) {
      this.amounts[j] = this.values[j] * model.unit[j];
      total += this.cost[j] * (this.values[j] - simplex.lo[j]);
    }
    node.bound = Math.max(node.bound, total);
    return 'optimal';
  }

  /** Moves the region's rows out by so many depths. */
  private widen(depths: number): void {
    const { model, simplex } = this;
    for (let i = 0; i < model.regionRows; i++) {
      const width = depths * model.depth[i] * model.scaleOf(i);
      simplex.lo[model.n + i] -= width;
      simplex.hi[model.n + i] += width;
    }
  }

  /** Σ over undecided features of their share of a change <= K - decided ones. */
  private writeChangesRow(node: Node): void {
    const { model, rows, simplex } = this;
    const { n, changesRow } = model;
    let decided = 0;
    for (let f = 0; f < node.changed.length; f++) decided += node.changed[f];
    const full = decided >= this.problem.maxChanges;
    for (let j = 0; j < n; j++) {
      const undecided = !node.changed[model.moves[j].feature.index];
      const finite = node.hi[j] > 0 && node.hi[j] < Infinity;
      rows[changesRow * n + j] = undecided && finite ? model.unit[j] / node.hi[j] : 0;
      if (undecided && full) simplex.hi[j] = simplex.lo[j];
    }
    simplex.lo[n + changesRow] = -Infinity;
    simplex.hi[n + changesRow] = this.problem.maxChanges - decided;
    simplex.slack[changesRow] = 1e-11;
  }

  private writeAlternatives(node: Node): void {
    const { model, simplex } = this;
    for (let clause = 0; clause < node.alternative.length; clause++) {
      for (let atom = model.clauseStart[clause]; atom < model.clauseStart[clause + 1]; atom++) {
        if (node.alternative[clause] === atom) continue;
        simplex.lo[model.n + model.atomRow + atom] = -Infinity;
        simplex.hi[model.n + model.atomRow + atom] = Infinity;
      }
    }
  }

  /** Takes the relaxation's answer if it is one, and returns how to split the node; empty: nothing better is in it. */
  private branch(node: Node, domain: Domain): Child[] {
    const wanted = this.changedFeatures();
    if (wanted.length > this.problem.maxChanges) return this.splitChanged(node, wanted);
    const fractional = this.mostFractional(node);
    if (fractional >= 0) return this.splitLattice(node, fractional);
    if (!this.snap(node, domain)) return this.settleLattice(node);
    const changes = this.changedFeatures();
    if (changes.length > this.problem.maxChanges) return this.splitChanged(node, changes);
    const broken = this.brokenClause(node);
    if (broken >= 0) return this.splitClause(node, broken);
    if (!this.keepsRows(node, domain) || !this.problem.holds(this.x)) return this.settleLattice(node);
    const cost = this.offer();
    const children = this.splitCost(node, changes);
    // A point that had to go further in than its relaxation says nothing about the node's other lattice points.
    const tight = cost <= node.bound * (1 + WORTH) + 1e-12;
    return children.length || tight ? children : this.settleLattice(node);
  }

  private mostFractional(node: Node): number {
    const { model, amounts } = this;
    let worst = -1;
    let most = ON_LATTICE;
    for (let j = 0; j < model.n; j++) {
      if (model.step[j] === 0 || node.lo[j] === node.hi[j]) continue;
      const steps = amounts[j] / model.step[j];
      const off = Math.abs(steps - Math.round(steps));
      if (off > most) {
        most = off;
        worst = j;
      }
    }
    return worst;
  }

  private splitLattice(node: Node, j: number): Child[] {
    const step = this.model.step[j];
    const below = step * Math.floor(this.amounts[j] / step);
    // A larger move is more likely to be an answer: dive there first.
    return [this.tighten(node, j, below + step, node.hi[j]), this.tighten(node, j, node.lo[j], below)];
  }

  private tighten(node: Node, j: number, lo: number, hi: number): Child {
    const child = { lo: node.lo.slice(), hi: node.hi.slice() };
    child.lo[j] = lo;
    child.hi[j] = hi;
    // Up and down of one feature exclude each other; nothing else keeps them from growing together.
    if (lo > 0)
      for (const other of this.model.movesOf[this.model.moves[j].feature.index]) if (other !== j) child.hi[other] = 0;
    return child;
  }

  /** Puts lattice moves exactly on their points and lets the others make up for it, inside. False: they cannot. */
  private snap(node: Node, domain: Domain): boolean {
    const { model, amounts, values } = this;
    let continuous = false;
    const lo = node.lo.slice();
    const hi = node.hi.slice();
    for (let j = 0; j < model.n; j++) {
      if (model.step[j] === 0) {
        continuous ||= node.lo[j] < node.hi[j];
        if (values[j] < STANDS_STILL && node.lo[j] === 0) values[j] = 0;
        continue;
      }
      const point = model.step[j] * Math.round(amounts[j] / model.step[j]);
      lo[j] = hi[j] = point;
      values[j] = point / model.unit[j];
    }
    model.toColumns(values, domain, this.x);
    // The point as it is, if the model takes it; else the cheapest one a hair further in, or exactly on the boundary.
    const taken = () => this.keepsRows(node, domain) && this.problem.holds(this.x);
    if (!continuous || taken()) return true;
    return (['inner', 'exact'] as const).some((side) => {
      if (this.relax({ ...node, lo, hi }, side) !== 'optimal') return false;
      model.toColumns(values, domain, this.x);
      // Inside, and still refused: rounding. A deeper region will tell.
      if (side === 'inner' && !taken()) this.trouble = true;
      return taken();
    });
  }

  /** Whether x keeps the policy's rows and the alternatives that the node has chosen: snapping may have moved it off. */
  private keepsRows(node: Node, domain: Domain): boolean {
    const { model } = this;
    const chosen = Array.from(node.alternative).flatMap((atom) => (atom < 0 ? [] : [model.atoms[atom]]));
    return [...this.problem.links, ...chosen].every(
      (row) => violation(row, this.x) <= 10 * linkSlack(row, domain.origin),
    );
  }

  /** The nearest lattice point is none: split it off. */
  private settleLattice(node: Node): Child[] {
    const { model } = this;
    this.relax(node);
    const j = [...model.step.keys()].find((k) => model.step[k] > 0 && node.lo[k] < node.hi[k]);
    if (j === undefined) return [];
    const step = model.step[j];
    const point = step * Math.round(this.amounts[j] / step);
    const parts: [number, number][] = [
      [node.lo[j], point - step],
      [point, point],
      [point + step, node.hi[j]],
    ];
    return parts.filter(([lo, hi]) => lo <= hi).map(([lo, hi]) => this.tighten(node, j, lo, hi));
  }

  /** Features that the present amounts change, noise aside. */
  private changedFeatures(): number[] {
    const { model, values } = this;
    const changed: number[] = [];
    for (const feature of this.problem.space.features) {
      if (model.movesOf[feature.index].some((j) => values[j] > NO_MOVE)) changed.push(feature.index);
    }
    return changed;
  }

  private brokenClause(node: Node): number {
    return this.problem.clauses.findIndex(
      (clause, k) => node.alternative[k] < 0 && clause.rows.every((row) => violation(row, this.x) > 1e-10),
    );
  }

  /** Takes the present point if it is the best so far; returns what it costs. */
  private offer(): number {
    const total = this.lines.total(this.values);
    if (total < this.bestCost) {
      this.bestCost = total;
      this.best.set(this.x);
    }
    return total;
  }

  /** changed | unchanged, for the undecided feature that the relaxation spends most on. */
  private splitChanged(node: Node, changes: readonly number[]): Child[] {
    const undecided = changes.filter((f) => !node.changed[f]);
    if (!undecided.length) return [];
    const spent = (f: number) => this.model.movesOf[f].reduce((sum, j) => sum + this.cost[j] * this.values[j], 0);
    return this.decideChange(
      node,
      undecided.reduce((a, b) => (spent(b) > spent(a) ? b : a)),
    ).reverse();
  }

  private decideChange(node: Node, feature: number): Child[] {
    const still = { lo: node.lo.slice(), hi: node.hi.slice() };
    for (const j of this.model.movesOf[feature]) still.lo[j] = still.hi[j] = 0;
    const changed = node.changed.slice();
    changed[feature] = 1;
    return [still, { changed }];
  }

  private splitClause(node: Node, clause: number): Child[] {
    const { clauseStart } = this.model;
    return this.problem.clauses[clause].rows.map((_, k) => {
      const alternative = node.alternative.slice();
      alternative[clause] = clauseStart[clause] + k;
      return { alternative };
    });
  }

  /** Where the true cost lies above its line, the line is made steeper by a smaller interval. */
  private splitCost(node: Node, changes: readonly number[]): Child[] {
    const { norm, weight } = this.problem.cost;
    if (norm === 'l1') return [];
    if (norm === 'l0') {
      const undecided = changes.filter((f) => !node.changed[f]);
      if (!undecided.length) return [];
      return this.decideChange(
        node,
        undecided.reduce((a, b) => (weight[b] > weight[a] ? b : a)),
      );
    }
    return this.splitPercentile(node);
  }

  private splitPercentile(node: Node): Child[] {
    const { model } = this;
    let worst = -1;
    let most = 0;
    for (let j = 0; j < model.n; j++) {
      if (model.moves[j].kind === 'choose') continue;
      const excess = this.lines.excess(j, node.lo[j], node.hi[j], this.values[j] * model.unit[j]);
      if (excess > most) {
        most = excess;
        worst = j;
      }
    }
    if (worst < 0 || most < WORTH * Math.max(this.bestCost, 1e-9)) return [];
    return this.splitAtCorner(node, worst);
  }

  /** At the corner nearest to the present amount: between corners the cost is a line. */
  private splitAtCorner(node: Node, j: number): Child[] {
    const amount = this.values[j] * this.model.unit[j];
    const corners = this.lines.corners(j, node.lo[j], node.hi[j]);
    if (!corners.length) return [];
    const at = corners.reduce((a, b) => (Math.abs(b - amount) < Math.abs(a - amount) ? b : a));
    const step = this.model.step[j];
    const below = step > 0 ? step * Math.floor(at / step + ON_LATTICE) : at;
    const above = step > 0 ? below + step : at;
    return [this.tighten(node, j, node.lo[j], below), this.tighten(node, j, above, node.hi[j])].filter((_, k) =>
      k ? above <= node.hi[j] : below >= node.lo[j],
    );
  }

  /** Bounds the children, queues them, and returns the best one to go on with. */
  private dive(children: readonly Child[], parent: Node, open: NodeHeap<Node>): Node | undefined {
    let first: Node | undefined;
    for (const child of children) {
      const node: Node = { ...parent, ...child };
      if (!first) first = node;
      else open.push(node, node.bound);
    }
    return first;
  }
}

/** The same problem with an L1 cost that measures each move by its largest effect on a row. */
function leastMoves(problem: Problem, model: MoveModel): Problem {
  const weight = problem.cost.weight.map((_, f) =>
    model.movesOf[f].length ? 1 / model.unitOf(problem.space.features[f]) : 1,
  );
  return { ...problem, cost: { ...problem.cost, norm: 'l1', weight }, traits: { ...problem.traits, norm: 'l1' } };
}

export const branch: Solver = {
  name: 'branch',
  takesParts: true,
  accepts,
  prepare: (problem) => new PreparedBranch(problem),
};
