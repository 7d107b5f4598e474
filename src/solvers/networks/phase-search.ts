/**
 * Branch and bound over the phases of a network's units, around an exact solver of linear rows:
 *
 *   min cost(x' - x)   s.t.   a_k·h(x') >= need_k,   domain, links, clauses          h the activations of relu layers
 *
 * A node fixes some units as on (z >= 0) or off (z <= 0). Lines that hold within the bounds of their inputs replace the other units
 * (relu-network.ts). These bounds follow from the domain and from the incumbent's cost (linear-reach.ts): near the row most units cannot
 * change their phase. Cuts are added to a node's relaxation where its point breaks a condition, until the point breaks none or no cut
 * helps. Then the node is split at the unit whose chord lies highest above its output.
 *
 * Answers: the relaxation's point if the model confirms it, and the optimum of the linear piece that the point lies in.
 */
import type { LinearRow, Piece } from '../../models/region.js';
import type { Domain } from '../../policy/domain.js';
import { FLOPS_PER_UNIT } from '../../problems/budget.js';
import type { Problem } from '../../problems/problem.js';
import type { RelaxedProblems } from '../reductions/relaxed-problems.js';
import type { BestAnswer } from '../shared/best-answer.js';
import { violation } from '../shared/linear-rows.js';
import { NodeHeap } from '../shared/node-heap.js';
import { type Limits, limit, type Outcome } from '../solver.js';
import type { HeadConditions } from './head-conditions.js';
import type { LinearReach } from './linear-reach.js';
import type { ReluNetwork, UnitBounds, UnitCondition } from './relu-network.js';

const MAX_ROUNDS = 30;
/** Rounds of Newton's method for a first answer. */
const WALK = 12;
/** How often the search moves from the piece of an answer to a neighbour. */
const MAX_FLIPS = 12;
/** A relative gap up to this size counts as closed. */
const CLOSED = 5e-7;
/** A cut that is broken by less than this share of its terms gains nothing. */
const NEAR = 1e-9;
/** The largest rounding error of a sum, as a share of its terms. */
const ROUNDING = 2 ** -46;
/** A row further from a point than this share of its terms does not bind there. */
const BINDS = 1e-7;

/** The parts of the search, prepared once. */
export interface PhaseParts {
  readonly problem: Problem;
  readonly network: ReluNetwork;
  readonly head: HeadConditions;
  readonly reach: LinearReach;
  readonly relaxed: RelaxedProblems;
  readonly best: BestAnswer;
}

interface PhaseNode {
  /** By unit: 1 on, -1 off, 0 free. */
  readonly phases: Int8Array;
  /** The fixed phases: as rows for units of the first layer, as conditions to be cut for the others. */
  readonly said: readonly LinearRow[];
  readonly conditions: readonly UnitCondition[];
  readonly cuts: readonly LinearRow[];
  readonly bound: number;
}

/** The result of a node's rounds. */
interface Relaxed {
  readonly x: Float64Array;
  readonly bound: number;
  /** The cuts that bind at x. */
  readonly cuts: readonly LinearRow[];
  readonly bounds: UnitBounds;
}

const asPiece = (row: LinearRow): Piece => ({ rows: [row], atoms: [] });

export class PhaseSearch {
  private readonly z: Float64Array;
  private readonly lost: Float64Array;
  /** The bounds without any fixed phase, and the cost for which they hold. */
  private bounds: UnitBounds;
  private boundsFor = Number.NaN;
  /** The least bound of the closed nodes and of the nodes that could not be resolved. */
  private closed = Infinity;

  constructor(
    private readonly parts: PhaseParts,
    private readonly domain: Domain,
    private readonly limits: Limits,
  ) {
    const { units } = parts.network;
    this.z = new Float64Array(units);
    this.lost = new Float64Array(units);
    this.bounds = { lo: new Float64Array(units), hi: new Float64Array(units) };
  }

  run(): Outcome {
    const { parts, limits } = this;
    const { best } = parts;
    this.walk();
    const open = new NodeHeap<PhaseNode>();
    open.push({ phases: new Int8Array(parts.network.units), said: [], conditions: [], cuts: [], bound: 0 }, 0);
    for (let visited = 0; open.size; visited++) {
      const bound = open.least();
      if (limits.anyAnswer && best.isFound) return limit(best.x, 0);
      if (this.isClosed(bound)) return this.conclude(bound);
      if (visited > 0 && limits.budget.isSpent) return this.conclude(bound);
      for (const child of this.visit(open.pop()!)) open.push(child, child.bound);
    }
    return this.conclude(Infinity);
  }

  private get ceiling(): number {
    return Math.min(this.parts.best.cost, this.limits.cutoff);
  }

  private isClosed(bound: number): boolean {
    return bound >= this.ceiling * (1 - Math.max(CLOSED, this.limits.gap));
  }

  private conclude(open: number): Outcome {
    return this.parts.best.conclude(Math.min(open, this.closed));
  }

  /** Newton's method: linearises the conditions at the last point until a point has the target. */
  private walk(): void {
    const { network, head } = this.parts;
    let x = this.domain.origin;
    for (let k = 0; k < WALK && !this.limits.budget.isSpent; k++) {
      network.run(x, this.z);
      const here = this.phasesAt(new Int8Array(network.units));
      const rows = head.at(network, this.z).map((condition) => this.cut(condition, here)!);
      const outcome = this.solve(rows);
      if (!outcome.x) return;
      x = outcome.x.slice();
      if (!this.offer(x)) continue;
      this.improve(x);
      return;
    }
  }

  /** Every unit in its phase at z, except units with a fixed phase. */
  private phasesAt(said: Int8Array): UnitBounds {
    const on = (u: number) => (said[u] || (this.z[u] > 0 ? 1 : -1)) > 0;
    const lo = this.z.map((_, u) => (on(u) ? 0 : -Infinity));
    return { lo, hi: lo.map((low) => (low === 0 ? Infinity : 0)) };
  }

  /** Moves from piece to piece: the optimum of the linear piece that contains x, then of its neighbours, while the cost falls. */
  private improve(start: Float64Array): void {
    const { network, best } = this.parts;
    let x = start;
    for (let k = 0; k < MAX_FLIPS && !this.limits.budget.isSpent; k++) {
      const before = best.cost;
      network.run(x, this.z);
      const phases = Int8Array.from(this.z, (z) => (z > 0 ? 1 : -1));
      const found = this.solvePiece(phases);
      if (!found || (!(best.cost < before * (1 - CLOSED)) && k > 0)) return;
      x = this.acrossFrom(found, phases) ?? found;
      if (x === found) return;
    }
  }

  /** The optimum of a linear piece. Null: the piece has no answer. */
  private solvePiece(phases: Int8Array): Float64Array | null {
    const { network, head } = this.parts;
    const unsaid = this.phasesOf(phases);
    const z = this.z;
    const conditions = [...head.at(network, z), ...this.phaseConditions(phases)];
    const rows = conditions.map((condition) => this.cut(condition, unsaid)!);
    const outcome = this.solve(rows);
    const x = outcome.x?.slice();
    return x && this.offer(x) ? x : null;
  }

  private phasesOf(phases: Int8Array): UnitBounds {
    const lo = Float64Array.from(phases, (phase) => (phase > 0 ? 0 : -Infinity));
    return { lo, hi: lo.map((low) => (low === 0 ? Infinity : 0)) };
  }

  /** The conditions of the units that can be in either phase within the incumbent's cost. */
  private phaseConditions(phases: Int8Array): UnitCondition[] {
    const { network } = this.parts;
    const { lo, hi } = this.boundsNow();
    return [...phases.keys()]
      .filter((u) => lo[u] < 0 && hi[u] > 0)
      .map((u) => network.phaseOf(u, phases[u] > 0 ? 1 : -1));
  }

  /** A point of the cheapest neighbouring piece: one unit at its bend changes its phase. */
  private acrossFrom(x: Float64Array, phases: Int8Array): Float64Array | null {
    const { network, best } = this.parts;
    network.run(x, this.z);
    const { lo, hi } = this.boundsNow();
    const bent = [...phases.keys()].filter(
      (u) => Math.abs(this.z[u]) <= BINDS * (hi[u] - lo[u]) && lo[u] < 0 && hi[u] > 0,
    );
    const before = best.cost;
    let to: Float64Array | null = null;
    for (const u of bent) {
      if (this.limits.budget.isSpent) break;
      const found = this.solvePiece(phases.with(u, -phases[u]));
      if (found && best.cost < before * (1 - CLOSED)) to = found;
      if (to) break;
    }
    return to;
  }

  /** Bounds for the incumbent's cost. */
  private boundsNow(): UnitBounds {
    const { ceiling } = this;
    if (this.boundsFor !== ceiling) {
      this.bounds = this.boundsWith(new Int8Array(this.parts.network.units), ceiling);
      this.boundsFor = ceiling;
    }
    return this.bounds;
  }

  /** Layer by layer: upper and lower bounds of each unit's input, as functions of x, over the points within the cost. */
  private boundsWith(phases: Int8Array, ceiling: number): UnitBounds {
    const { network, reach } = this.parts;
    const bounds = { lo: new Float64Array(network.units), hi: new Float64Array(network.units) };
    reach.begin(this.domain, ceiling);
    const middle = new Float64Array(network.units);
    for (const { bias, first } of network.layers) {
      for (let i = 0; i < bias.length; i++) {
        const u = first + i;
        bounds.hi[u] = this.mostOf(network.phaseOf(u, 1), bounds, middle);
        bounds.lo[u] = -this.mostOf(network.phaseOf(u, -1), bounds, middle);
      }
      this.say(phases, first, bias.length, bounds);
      for (let i = 0; i < bias.length; i++) middle[first + i] = bounds.lo[first + i] + bounds.hi[first + i];
    }
    this.limits.budget.spend((2 * network.units * (network.flops + 20 * this.domain.origin.length)) / FLOPS_PER_UNIT);
    return bounds;
  }

  /** The largest amount by which a condition's left side can exceed its need. */
  private mostOf(condition: UnitCondition, bounds: UnitBounds, z: Float64Array): number {
    const row = this.parts.network.substitute(condition, bounds, z);
    if (!row) return Infinity;
    const most = this.parts.reach.mostOf(row.a);
    return most - row.lower + ROUNDING * (sizeAt(row, this.domain.origin) + Math.abs(most));
  }

  private say(phases: Int8Array, first: number, units: number, { lo, hi }: UnitBounds): void {
    for (let u = first; u < first + units; u++) {
      if (phases[u] > 0) lo[u] = Math.max(0, lo[u]);
      if (phases[u] < 0) hi[u] = Math.min(0, hi[u]);
    }
  }

  private boundsOf(phases: Int8Array): UnitBounds {
    if (this.parts.network.layers.length > 1) return this.boundsWith(phases, this.ceiling);
    const { lo, hi } = this.boundsNow();
    const bounds = { lo: lo.slice(), hi: hi.slice() };
    this.say(phases, 0, phases.length, bounds);
    return bounds;
  }

  private visit(node: PhaseNode): PhaseNode[] {
    const bounds = this.boundsOf(node.phases);
    const end = this.relax(node, bounds);
    if (!end) return [];
    if (this.isClosed(end.bound)) return this.close(end.bound);
    this.parts.network.run(end.x, this.z);
    this.solvePiece(Int8Array.from(this.z, (z, u) => node.phases[u] || (z > 0 ? 1 : -1)));
    return this.isClosed(end.bound) ? this.close(end.bound) : this.split(node, end);
  }

  private close(bound: number): PhaseNode[] {
    this.closed = Math.min(this.closed, bound);
    return [];
  }

  /** Rounds of cutting planes. Undefined: the node is closed. */
  private relax(node: PhaseNode, bounds: UnitBounds): Relaxed | undefined {
    const { network, head } = this.parts;
    let cuts = [...node.cuts];
    let x = this.domain.origin;
    let bound = node.bound;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      network.run(x, this.z);
      const broken = this.brokenCuts([...head.at(network, this.z), ...node.conditions], bounds, x);
      if (round > 0 && (!broken.length || this.limits.budget.isSpent)) break;
      cuts = [...cuts, ...broken];
      const outcome = this.solve([...node.said, ...cuts]);
      if (outcome.status === 'infeasible') return undefined;
      bound = Math.max(bound, outcome.lowerBound);
      if (!outcome.x || this.isClosed(bound)) {
        this.close(bound);
        return undefined;
      }
      x = outcome.x.slice();
      if (!this.offer(x)) continue;
      if (outcome.status === 'solved') {
        this.close(bound);
        return undefined;
      }
    }
    return { x, bound, cuts: cuts.filter((row) => binds(row, x)), bounds };
  }

  private brokenCuts(conditions: readonly UnitCondition[], bounds: UnitBounds, x: Float64Array): LinearRow[] {
    const cuts = conditions.map((condition) => this.cut(condition, bounds)).filter((row) => row !== null);
    return cuts.filter((row) => violation(row, x) > NEAR * sizeAt(row, x));
  }

  private cut(condition: UnitCondition, bounds: UnitBounds): LinearRow | null {
    const { network } = this.parts;
    this.limits.budget.spend((4 * network.flops) / FLOPS_PER_UNIT);
    return network.substitute(condition, bounds, this.z);
  }

  /** Splits at the unit whose chord is furthest above its output, in the condition that x breaks most. */
  private split(node: PhaseNode, { x, bound, cuts, bounds }: Relaxed): PhaseNode[] {
    const unit = this.unitToSplit(node, bounds, x);
    if (unit < 0) return this.close(bound);
    const { network } = this.parts;
    const isFirst = network.layerOf(unit) === 0;
    return ([1, -1] as const).map((sign) => {
      const condition = network.phaseOf(unit, sign);
      const phases = node.phases.with(unit, sign);
      const child = { ...node, phases, cuts, bound };
      return isFirst
        ? { ...child, said: [...node.said, this.cut(condition, bounds)!] }
        : { ...child, conditions: [...node.conditions, condition] };
    });
  }

  private unitToSplit(node: PhaseNode, bounds: UnitBounds, x: Float64Array): number {
    const { network, head } = this.parts;
    network.run(x, this.z);
    const { lo, hi } = bounds;
    let [most, unit] = [0, -1];
    for (const condition of [...head.at(network, this.z), ...node.conditions]) {
      this.lost.fill(0);
      network.substitute(condition, bounds, this.z, this.lost);
      for (const [u, lost] of this.lost.entries()) if (lost > most) [most, unit] = [lost, u];
    }
    if (unit >= 0) return unit;
    return lo.findIndex((low, u) => low < 0 && hi[u] > 0 && node.phases[u] === 0);
  }

  private solve(rows: readonly LinearRow[]): Outcome {
    const { limits } = this;
    return this.parts.relaxed.solve(rows.map(asPiece), this.domain, {
      ...limits,
      cutoff: this.ceiling,
      anyAnswer: false,
    });
  }

  /** Offers a point if it has the target. */
  private offer(x: Float64Array): boolean {
    const { problem, best } = this.parts;
    this.limits.budget.spend(this.parts.network.flops / FLOPS_PER_UNIT);
    if (!problem.holds(x)) return false;
    best.offer(x);
    return true;
  }
}

const binds = (row: LinearRow, x: Float64Array): boolean => violation(row, x) > -BINDS * sizeAt(row, x);

const sizeAt = ({ arithmetic }: LinearRow, x: Float64Array): number =>
  arithmetic!.terms.reduce((sum, term, c) => sum + term * Math.abs(x[c]), arithmetic!.constant);
