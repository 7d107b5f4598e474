/**
 * Branch and bound over the bounded simplex: integers, steps, categories, at most K changes, alternatives, and the costs
 * L0, L1 and percentile, over any linear rows. Exact and anytime: the search stops with the best answer and a lower bound.
 *
 *   relaxation of a node    node-program.ts: linear, its bound or its emptiness proved
 *   branching               splits.ts
 *   pruning                 tighten.ts removes values that cannot be better from a node before the node is divided
 *   a first answer          single-moves.ts
 *
 * Relaxations use a slightly widened region, and leaves a region narrowed by the same amount. A leaf counts only if the model itself
 * agrees: a lattice point exactly on the boundary is neither lost nor accepted unchecked.
 *
 * Nodes are visited best first, with a dive into the better child: answers come early. Every node is solved from scratch, because a small
 * tableau is cheaper to rebuild than to keep exact. A node that is closed without a proof keeps its bound, and the search claims no more
 * than that bound.
 */
import type { LinearRow } from '../../models/region.js';
import { cloneDomain, type Domain, pin } from '../../policy/domain.js';
import { hasMoved, isContinuous, nearestValue } from '../../policy/values.js';
import type { Problem } from '../../problems/problem.js';
import { BestAnswer } from '../shared/best-answer.js';
import { keepsLink } from '../shared/linear-rows.js';
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
import { BoundsPool } from './bounds-pool.js';
import { MoveModel } from './moves.js';
import { type NodePart, NodeProgram } from './node-program.js';
import { offerSingles } from './single-moves.js';
import { Splits } from './splits.js';
import { Tightening } from './tighten.js';

function accepts({ traits }: Problem): 'no' | 'exact' {
  return traits.linear && (traits.norm === 'l0' || traits.norm === 'l1' || traits.norm === 'percentile')
    ? 'exact'
    : 'no';
}

/** Relative improvement below which a better answer is not worth finding: well inside the tolerance of `optimal`. */
const WORTH = 1e-7;
/** A continuous move of the relaxation below this size, in units of the gap, comes from the widened region and is not a change. */
const STANDS_STILL = 1e-9;
/** Work of a node apart from its program, in units of effort: a fixed part and a part for each move. */
const NODE_WORK = 1.5;
const MOVE_WORK = 0.05;
/** Work for the hulls of curved costs, for each move of a row. */
const CURVE_WORK = 5;
/** The first nodes are not tightened: visiting so few nodes is cheaper than tightening them. */
const FEW_NODES = 4;
/** How many nodes without a proof are divided further. All others are closed with their bound. */
const RETRIES = 64;

export class PreparedBranch implements Prepared {
  private readonly model: MoveModel;
  private readonly program: NodeProgram;
  private readonly pool = new BoundsPool();
  private readonly splits: Splits;
  private readonly tightening: Tightening;
  private readonly best: BestAnswer;
  private readonly x: Float64Array;
  private readonly features: Problem['space']['features'];
  /** Costs are multiples of this quantum (unweighted L0), so bounds may be rounded up. 0: costs have no quantum. */
  private readonly quantum: number;
  /** L0 decides which features change but not how far. Among its answers the solver reports the one that moves least. */
  private readonly least: PreparedBranch | null;
  private domain!: Domain;
  private limits!: Limits;
  /** The least bound of the nodes that were closed by their bound. */
  private closed = Infinity;
  /** The number of nodes that the engine could not solve with a proof. */
  private doubts = 0;
  /** Whether a continuous feature of the node that was settled last may still move. */
  private isFree = false;
  private visited = 0;

  constructor(private readonly problem: Problem) {
    const { cost, space } = problem;
    this.model = new MoveModel(problem, true, false);
    this.program = new NodeProgram(problem, this.model);
    this.splits = new Splits(problem, this.model, this.program, this.pool);
    this.tightening = new Tightening(problem, this.model, this.program, this.pool);
    this.best = new BestAnswer(problem);
    this.x = new Float64Array(space.columns);
    this.features = space.features.filter(({ index }) => this.model.movesOf[index].length);
    const isWhole = cost.norm === 'l0' && cost.weight.every((weight) => weight === cost.weight[0]);
    this.quantum = isWhole ? cost.weight[0] : 0;
    this.least = cost.norm === 'l0' ? new PreparedBranch(leastMoves(problem, this.model)) : null;
  }

  solve(domain: Domain, limits: Limits): Outcome {
    this.domain = domain;
    this.limits = limits;
    this.closed = Infinity;
    this.doubts = this.visited = 0;
    this.best.begin(domain);
    this.pool.begin();
    if (!this.program.begin(domain, limits.nudge, limits.budget)) return numerical('a row overflows');
    if (this.problem.cost.norm === 'percentile') limits.budget.spend(CURVE_WORK * this.model.n);
    const root = this.splits.begin(domain);
    offerSingles(this.problem, this.model, this.program.costs, domain, (x) => this.take(root, x));
    root.bound = this.leastChange(root);
    const cut = this.search(root);
    if (limits.anyAnswer && this.best.isFound) return limit(this.best.x, 0);
    this.moveLeast();
    return this.conclude(cut);
  }

  /** Visits nodes until none is left. Returns the least bound of the nodes that the budget left open. */
  private search(root: NodePart): number {
    const { limits, best } = this;
    const open = new NodeHeap<NodePart>();
    let next: NodePart | undefined = root;
    while (next || open.size) {
      if (limits.anyAnswer && best.isFound) return 0;
      const node: NodePart = next ?? open.pop()!;
      next = undefined;
      if (this.isClosed(node.bound)) continue;
      if (node !== root && limits.budget.isSpent) return Math.min(node.bound, open.least());
      for (const child of this.visit(node)) {
        if (!next) next = child;
        else open.push(child, child.bound);
      }
    }
    return Infinity;
  }

  /** Whether a bound proves that no better answer is worth finding. The bound of a closed node is kept. */
  private isClosed(bound: number): boolean {
    const ceiling = Math.min(this.best.cost, this.limits.cutoff);
    const proved = this.quantum ? this.quantum * Math.ceil(bound / this.quantum - 1e-6) : bound;
    const closed = proved >= ceiling * (1 - Math.max(WORTH, this.limits.gap));
    if (closed) this.closed = Math.min(this.closed, proved);
    return closed;
  }

  /** Solves a node's relaxation and returns the children that may hold better answers. */
  private visit(node: NodePart): NodePart[] {
    this.visited++;
    this.limits.budget.spend(NODE_WORK + MOVE_WORK * this.model.n);
    this.splits.open(node);
    const status = this.program.solve(node, 'outer');
    if (status === 'empty') return [];
    if (status === 'unproved') return this.doubt(node);
    node.bound = Math.max(node.bound, this.program.bound);
    if (this.isClosed(node.bound)) return [];
    const ceiling = Math.min(this.best.cost, this.limits.cutoff);
    if (this.visited >= FEW_NODES) this.tightening.apply(node, this.domain, ceiling);
    return this.divide(node);
  }

  /** Divides a node whose relaxation has no proof at some value, up to RETRIES times. */
  private doubt(node: NodePart): NodePart[] {
    const parts = this.doubts++ < RETRIES ? this.splits.aroundValue(node, this.view(node), this.domain.origin) : [];
    return parts.length ? parts : this.leave(node);
  }

  private view({ lower, upper }: NodePart): Domain {
    return { ...this.domain, lower, upper };
  }

  /** Takes the relaxation's point if it is an answer, and returns how to divide the node. */
  private divide(node: NodePart): NodePart[] {
    const { splits, problem } = this;
    const view = this.view(node);
    const changes = splits.changed();
    if (changes.length > problem.maxChanges) return splits.atChange(node, changes);
    const fractional = splits.mostFractional(view);
    if (fractional) return splits.atFraction(node, fractional, view);
    const children = splits.atCost(node, changes, view, 0.1 * WORTH * node.bound);
    const isAnswer = this.settle(node, view);
    const broken = this.brokenClause(node);
    if (isAnswer && broken >= 0) return splits.atClause(node, broken);
    if (isAnswer) this.best.offer(this.x);
    const row = isAnswer ? undefined : this.brokenRow(node);
    if (row && isFixed(row, node)) return [];
    if (children.length) return children;
    // The point had to move further inside than its relaxation, so it proves nothing about the other values of the node.
    if (isAnswer && node.bound >= this.best.cost * (1 - WORTH)) return this.leave(node);
    const others = splits.aroundValue(node, view, this.x, row);
    // The node was a single point, and that point is checked.
    if (!others.length && !this.isFree) return [];
    return others.length ? others : this.leave(node);
  }

  /** Closes a node. Its bound remains as the proof. */
  private leave({ bound }: NodePart): NodePart[] {
    this.closed = Math.min(this.closed, bound);
    return [];
  }

  /** Puts the relaxation's point into `x`, with every value exactly on a permitted value. False: the point is no answer. */
  private settle(node: NodePart, view: Domain): boolean {
    const { x, program } = this;
    const fixed: NodePart = { ...node, lower: this.pool.copyOf(node.lower), upper: this.pool.copyOf(node.upper) };
    x.set(program.x);
    this.isFree = false;
    for (const feature of this.features) {
      const { column, width, kind } = feature;
      if (kind === 'choice')
        for (let c = column; c < column + width; c++) this.fix(fixed, c, wholeOf(x[c], view.origin[c]));
      else if (!isContinuous(view, feature)) this.fix(fixed, column, nearestValue(view, feature, x[column]));
      else {
        this.isFree ||= node.lower[column] < node.upper[column];
        this.stand(node, column, this.model.movesOf[feature.index]);
      }
    }
    if (this.keeps(node, x)) return true;
    // Tries the cheapest point slightly further inside, then exactly on the boundary.
    return this.isFree && (['inner', 'exact'] as const).some((edge) => this.settleInside(fixed, edge));
  }

  private fix({ lower, upper }: NodePart, c: number, value: number): void {
    this.x[c] = lower[c] = upper[c] = value;
  }

  /** Removes a move that is no larger than the width by which the region was widened. */
  private stand({ lower, upper }: NodePart, c: number, [up, down]: readonly number[]): void {
    const here = this.domain.origin[c];
    const { amounts } = this.program;
    const size = Math.max(amounts[up], amounts[down]) / this.model.unit[up];
    if (size < STANDS_STILL && lower[c] <= here && here <= upper[c]) this.x[c] = here;
  }

  private settleInside(fixed: NodePart, edge: 'inner' | 'exact'): boolean {
    if (this.program.solve(fixed, edge) !== 'optimal') return false;
    this.x.set(this.program.x);
    return this.keeps(fixed, this.x);
  }

  /** Whether x keeps the limit of changes, the policy's rows and the node's chosen alternatives, and the model agrees. */
  private keeps({ alternative }: NodePart, x: Float64Array): boolean {
    const { problem, model } = this;
    const kept = (row: LinearRow) => keepsLink(row, x);
    if (problem.maxChanges < this.features.length && this.countChanges(x) > problem.maxChanges) return false;
    return (
      problem.links.every(kept) && alternative.every((atom) => atom < 0 || kept(model.atoms[atom])) && problem.holds(x)
    );
  }

  private countChanges(x: Float64Array): number {
    return this.features.filter((feature) => hasMoved(feature, this.domain.origin, x)).length;
  }

  /** The first row that x breaks, among the policy's rows and the node's chosen alternatives. */
  private brokenRow({ alternative }: NodePart): LinearRow | undefined {
    const { problem, model, x } = this;
    const isBroken = (row: LinearRow) => !keepsLink(row, x);
    const chosen = alternative.findLast((atom) => atom >= 0 && isBroken(model.atoms[atom]));
    return problem.links.find(isBroken) ?? (chosen === undefined ? undefined : model.atoms[chosen]);
  }

  /** The first clause that x breaks and for which the node has chosen no alternative. */
  private brokenClause({ alternative }: NodePart): number {
    const { x } = this;
    return this.problem.clauses.findIndex(
      (clause, k) => alternative[k] < 0 && !clause.rows.some((row) => keepsLink(row, x)),
    );
  }

  /** Takes a point if it is an answer of the node. */
  private take(node: NodePart, x: Float64Array): boolean {
    this.x.set(x);
    if (!this.keeps(node, x) || this.brokenClause(node) >= 0) return false;
    this.best.offer(x);
    return true;
  }

  /** The least cost of any answer under L0, where the unchanged row is no answer. */
  private leastChange(root: NodePart): number {
    const { cost } = this.problem;
    if (cost.norm !== 'l0') return 0;
    const mayStay = root.changed.every((isChanged) => !isChanged) && this.take(root, this.domain.origin);
    if (mayStay) return 0;
    return Math.min(...this.features.map(({ index }) => cost.weight[index]));
  }

  /** Replaces the answer by the one that moves least among those that change the same features. */
  private moveLeast(): void {
    if (!this.least || !this.best.isFound) return;
    const { space } = this.problem;
    const same = cloneDomain(this.domain);
    for (const feature of space.features) if (!hasMoved(feature, this.domain.origin, this.best.x)) pin(same, feature);
    const outcome = this.least.solve(same, { ...this.limits, cutoff: Infinity, gap: 0 });
    if (outcome.x) this.best.x.set(outcome.x);
  }

  private conclude(cut: number): Outcome {
    const { best, closed } = this;
    const bound = Math.min(cut, closed, best.cost);
    if (best.isFound) return (bound >= best.cost * (1 - WORTH) ? solved : limit)(best.x, bound);
    if (bound === Infinity) return INFEASIBLE;
    const isDoubtful = cut === Infinity && closed < this.limits.cutoff * (1 - Math.max(WORTH, this.limits.gap));
    return isDoubtful ? { ...numerical('a node lost its footing'), lowerBound: bound } : limit(null, bound);
  }
}

/** Whether all columns that a row reads are fixed. */
const isFixed = ({ a }: LinearRow, { lower, upper }: NodePart): boolean =>
  a.every((coefficient, c) => coefficient === 0 || lower[c] === upper[c]);

/** 0 or 1, or the imputed value of a category that does not change. */
const wholeOf = (value: number, here: number): number => (value === here ? here : Math.round(value));

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
