/**
 * The linear relaxation of a part of a person's domain, in moves (moves.ts), and the bound that it proves:
 *
 *   min Σ_j hull of φ_j (v_j)   s.t.   region and policy rows,  one category each,  Σ share of a change <= K,  alternatives
 *
 * A move has one column for each piece of its cost's hull on the part's interval (move-costs.ts). A feature that is undecided has the share
 * up/room + down/room of a change. Moves without room have no column, and rows without ends are left out: programs get smaller further down
 * the search tree.
 *
 * A proved bound and a proof of emptiness hold for the region as it is and are safe from rounding (dual-bound.ts). With an incumbent of
 * cost U the multipliers also exclude values from better answers. A better answer has v_j only where
 *
 *   bound + φ_j(v_j) - y·a_j v_j - min over the interval of that  <  U
 */
import type { Feature } from '../../models/features.js';
import type { Domain } from '../../policy/domain.js';
import type { Budget } from '../../problems/budget.js';
import type { Problem } from '../../problems/problem.js';
import { BoundedSimplex } from './bounded-simplex.js';
import { type BoundedRows, DualBound } from './dual-bound.js';
import { MoveCosts } from './move-costs.js';
import type { MoveModel } from './moves.js';

/** A part of the domain, and the decisions of the search in it. */
export interface NodePart {
  /** By column, as in a domain. */
  lower: Float64Array;
  upper: Float64Array;
  /** By feature: 1 if the feature counts as changed. */
  changed: Uint8Array;
  /** By clause: the alternative that the part has chosen, or -1. */
  alternative: Int32Array;
  /** A proved lower bound for every answer in the part. */
  bound: number;
  /** The change to make in the bounds, which are still the parent's. Null: the bounds are final. */
  edit: Edit | null;
}

/** A number within [low, high]. For a category: low = 1 makes it the only one, low = 0 closes it, category -1 leaves all as they are. */
export interface Edit {
  readonly feature: Feature;
  readonly low: number;
  readonly high: number;
  readonly category: number;
}

/**
 * The position at which a relaxation places the region's rows: slightly outside, exactly, or slightly inside. WIDTH counts depths from the
 * inside position.
 */
export type Edge = 'outer' | 'exact' | 'inner';
const WIDTH: Record<Edge, number> = { outer: 2, exact: 1, inner: 0 };

/** `empty` is proved. `unproved`: the engine had no answer, or no proof that none exists. */
export type RelaxedNode = 'optimal' | 'empty' | 'unproved';

/** The rounding residual of a row of whole numbers. */
const CHANGES_SLACK = 1e-11;

export class NodeProgram implements BoundedRows {
  m = 0;
  n = 0;
  rows = new Float64Array();
  doubt = new Float64Array();
  growth = new Float64Array();
  /** The relaxation's point, by column, and its moves. */
  readonly x: Float64Array;
  readonly amounts: Float64Array;
  /** A proved lower bound for every answer in the part. */
  bound = 0;
  readonly costs: MoveCosts;

  private readonly simplex = new BoundedSimplex(0, 0);
  private readonly proof = new DualBound();
  private multipliers = new Float64Array();
  private values = new Float64Array();
  private cost = new Float64Array();
  /** By column of the program. */
  private moveOf = new Int32Array();
  private from = new Float64Array();
  private to = new Float64Array();
  /** By move with room: its interval and its first column. `columnOf` is -1 for moves without room. */
  readonly least: Float64Array;
  readonly most: Float64Array;
  private readonly columnOf: Int32Array;
  /** Moves that no row reads: moving them gains nothing. */
  private readonly idle: Uint8Array;
  /** The cost of the part before any move. */
  fixed = 0;
  private domain!: Domain;
  private budget!: Budget;

  constructor(
    private readonly problem: Problem,
    private readonly model: MoveModel,
  ) {
    this.costs = new MoveCosts(model);
    this.x = new Float64Array(problem.space.columns);
    this.amounts = new Float64Array(model.n);
    this.least = new Float64Array(model.n);
    this.most = new Float64Array(model.n);
    this.columnOf = new Int32Array(model.n);
    this.idle = Uint8Array.from(model.moves, ({ kind }, j) => +(kind !== 'choose' && this.isIdle(j)));
  }

  get lo(): Float64Array {
    return this.simplex.lo;
  }

  get hi(): Float64Array {
    return this.simplex.hi;
  }

  private isIdle(j: number): boolean {
    const { m, n, rows } = this.model;
    for (let i = 0; i < m; i++) if (rows[i * n + j] !== 0) return false;
    return true;
  }

  /** Begins a person. False: a row overflows. */
  begin(domain: Domain, nudge: number, budget: Budget): boolean {
    this.domain = domain;
    this.budget = budget;
    this.costs.begin();
    return this.model.fillRows(domain, nudge);
  }

  /** Solves the relaxation of a part. Leaves its point in `x` and `amounts`, and its proved bound in `bound`. */
  solve(part: NodePart, edge: Edge): RelaxedNode {
    if (!this.addMoves(part)) return 'empty';
    this.addRows(part, WIDTH[edge]);
    const { simplex, multipliers, proof } = this;
    const status = simplex.solve(this.rows, this.cost, this.budget);
    this.budget.spend(simplex.work);
    if (status === 'numerical') return 'unproved';
    if (status === 'infeasible') {
      simplex.readCertificate(multipliers);
      const doubt = this.model.distanceDoubt(multipliers, (j) => this.roomOf(j));
      return proof.provesEmpty(this, multipliers, simplex, doubt) ? 'empty' : 'unproved';
    }
    simplex.read(this.values);
    this.toColumns(part);
    simplex.readMultipliers(multipliers);
    const least = proof.least(this, this.cost, multipliers, simplex);
    const doubt = this.model.distanceDoubt(multipliers, (j) => this.roomBelow(j, least));
    this.bound = Math.max(0, this.fixed + least - doubt);
    return 'optimal';
  }

  /** How far a move may go in the part. */
  private roomOf(j: number): number {
    return this.columnOf[j] < 0 ? 0 : this.most[j];
  }

  /** The same for answers that cost less than an amount beyond the fixed cost: the first piece of a hull is its cheapest. */
  private roomBelow(j: number, amount: number): number {
    const k = this.columnOf[j];
    return k < 0 ? 0 : Math.min(this.most[j], (Math.max(0, amount) / this.cost[k]) * this.model.unit[j]);
  }

  // ---------------------------------------------------------------------------------------------- columns

  /** Writes the columns of a part. False: a feature that has to change has no value left. */
  private addMoves(part: NodePart): boolean {
    const { model, problem } = this;
    const { norm, weight } = problem.cost;
    this.n = 0;
    this.fixed = 0;
    this.columnOf.fill(-1);
    let decided = 0;
    for (let f = 0; f < part.changed.length; f++) decided += part.changed[f];
    const isFull = decided >= problem.maxChanges;
    for (const { index, column, kind } of problem.space.features) {
      const moves = model.movesOf[index];
      if (!moves.length) continue;
      const isDecided = part.changed[index] === 1;
      if (norm === 'l0' && isDecided) this.fixed += weight[index];
      if (isFull && !isDecided) continue;
      if (kind === 'choice') this.addChoices(moves, column, part, isDecided);
      else if (!this.addNumber(moves, column, part, isDecided)) return false;
    }
    return true;
  }

  private addChoices(moves: readonly number[], column: number, part: NodePart, isDecided: boolean): void {
    const { origin } = this.domain;
    for (const j of moves) {
      const c = column + this.model.moves[j].category;
      if (origin[c] !== 1 && part.upper[c] > 0) this.addMove(j, part.lower[c] === 1 ? 1 : 0, 1, isDecided);
    }
  }

  private addNumber([up, down]: readonly number[], c: number, { lower, upper }: NodePart, isDecided: boolean): boolean {
    const here = this.domain.origin[c];
    if (lower[c] > upper[c]) return false;
    if (upper[c] > here) this.addMove(up, Math.max(0, lower[c] - here), upper[c] - here, isDecided);
    if (lower[c] < here) this.addMove(down, Math.max(0, here - upper[c]), here - lower[c], isDecided);
    return true;
  }

  private addMove(j: number, least: number, most: number, isDecided: boolean): void {
    if (this.idle[j] && least === 0) return;
    const unit = this.model.unit[j];
    const hull = this.costs.hull(j, least, most, isDecided);
    this.least[j] = least;
    this.most[j] = most;
    this.columnOf[j] = this.n;
    if (least > 0 && this.problem.cost.norm !== 'l0') this.fixed += this.costs.of(j, least) - hull[1] * least;
    this.addColumn(j, least / unit, (hull.length === 2 ? most : least + hull[0]) / unit, hull[1] * unit);
    for (let k = 2; k < hull.length; k += 2) this.addColumn(j, 0, hull[k] / unit, hull[k + 1] * unit);
  }

  private addColumn(j: number, from: number, to: number, slope: number): void {
    if (this.n === this.moveOf.length) this.growColumns(2 * this.n + 8);
    this.moveOf[this.n] = j;
    this.from[this.n] = from;
    this.to[this.n] = to;
    this.cost[this.n++] = slope;
  }

  private growColumns(capacity: number): void {
    this.moveOf = copyTo(new Int32Array(capacity), this.moveOf);
    this.from = copyTo(new Float64Array(capacity), this.from);
    this.to = copyTo(new Float64Array(capacity), this.to);
    this.cost = copyTo(new Float64Array(capacity), this.cost);
    this.values = new Float64Array(capacity);
  }

  // ---------------------------------------------------------------------------------------------- rows

  /** Writes the rows of a part, moved outwards by the number of depths, and the ends of the columns. */
  private addRows(part: NodePart, depths: number): void {
    const { model, simplex } = this;
    this.resize(model.m, this.n);
    this.m = 0;
    const widthOf = (i: number) => depths * model.depth[i] * model.scaleOf(i);
    for (let i = 0; i < model.always.length; i++) this.addRow(i, widthOf(i));
    for (let k = 0; k < model.choices.length; k++) this.addChoice(k, part);
    if (this.problem.traits.capped) this.addChanges(part);
    for (let clause = 0; clause < part.alternative.length; clause++)
      if (part.alternative[clause] >= 0) {
        const i = model.atomRow + part.alternative[clause];
        this.addRow(i, widthOf(i));
      }
    simplex.resize(this.m, this.n);
    for (let j = 0; j < this.n; j++) {
      simplex.lo[j] = this.from[j];
      simplex.hi[j] = this.to[j];
    }
  }

  /** Allocates for m rows and n columns. The ends of rows follow those of the columns. */
  private resize(m: number, n: number): void {
    this.simplex.resize(m, n);
    if (this.rows.length < m * n) this.rows = new Float64Array(2 * m * n);
    if (this.doubt.length < m) {
      this.doubt = new Float64Array(m);
      this.growth = new Float64Array(m);
      this.multipliers = new Float64Array(m);
    }
  }

  /** Adds a row of the tableau with its ends moved outwards. Proofs hold for the ends without depth and width. */
  private addRow(source: number, width: number): void {
    const { model, simplex, n, rows, moveOf } = this;
    const start = this.m * n;
    const from = source * model.n;
    for (let k = 0; k < n; k++) rows[start + k] = model.rows[from + moveOf[k]];
    simplex.lo[n + this.m] = model.lo[model.n + source] - width;
    simplex.hi[n + this.m] = model.hi[model.n + source] + width;
    simplex.slack[this.m] = model.slack[source];
    this.growth[this.m] = model.growth[source];
    this.doubt[this.m++] = model.doubt[source] - width;
  }

  /** Σ choose <= 1, or = 1 where the present category is closed. */
  private addChoice(k: number, part: NodePart): void {
    const feature = this.model.choices[k];
    this.addRow(this.model.choiceRow + k, 0);
    const end = this.n + this.m - 1;
    this.simplex.lo[end] = this.mayStand(feature, part) ? 0 : this.simplex.hi[end];
  }

  private mayStand({ column, width }: Feature, { lower, upper }: NodePart): boolean {
    const { origin } = this.domain;
    for (let c = column; c < column + width; c++) if (origin[c] < lower[c] || origin[c] > upper[c]) return false;
    return true;
  }

  /** Σ over undecided features of their share of a change <= K - decided ones. */
  private addChanges({ changed }: NodePart): void {
    const { model, simplex, n, rows, moveOf, problem } = this;
    const start = this.m * n;
    let decided = 0;
    for (let f = 0; f < changed.length; f++) decided += changed[f];
    for (let k = 0; k < n; k++) {
      const j = moveOf[k];
      const isCounted = !changed[model.moves[j].feature.index] && this.most[j] < Infinity;
      rows[start + k] = isCounted ? model.unit[j] / this.most[j] : 0;
    }
    simplex.lo[n + this.m] = Number.NEGATIVE_INFINITY;
    simplex.hi[n + this.m] = problem.maxChanges - decided;
    simplex.slack[this.m] = CHANGES_SLACK;
    this.growth[this.m] = 1;
    this.doubt[this.m++] = 0;
  }

  // ---------------------------------------------------------------------------------------------- results

  /** Computes the moves and columns of the point. A move at an end of its interval gets exactly that number. */
  private toColumns(part: NodePart): void {
    const { model, amounts, values, x } = this;
    const { origin } = this.domain;
    amounts.fill(0);
    for (let k = 0; k < this.n; k++) amounts[this.moveOf[k]] += values[k] * model.unit[this.moveOf[k]];
    x.set(origin);
    for (const { index, column, kind } of this.problem.space.features) {
      const moves = model.movesOf[index];
      if (!moves.length) continue;
      if (kind === 'choice') for (const j of moves) this.choose(j, amounts[j]);
      else this.place(column, moves, part);
    }
  }

  private place(c: number, [up, down]: readonly number[], { lower, upper }: NodePart): void {
    const { amounts } = this;
    const here = this.domain.origin[c];
    const delta = amounts[up] - amounts[down];
    amounts[up] = Math.max(0, delta);
    amounts[down] = Math.max(0, -delta);
    if (delta >= upper[c] - here) this.x[c] = upper[c];
    else if (delta <= lower[c] - here) this.x[c] = lower[c];
    else this.x[c] = here + delta;
  }

  private choose(j: number, amount: number): void {
    if (amount === 0) return;
    const { feature, category } = this.model.moves[j];
    const { column, width } = feature;
    const { origin } = this.domain;
    for (let c = column; c < column + width; c++) this.x[c] -= amount * origin[c];
    this.x[column + category] += amount;
  }

  /** How far the true cost of the point lies above the hull of a move's cost. */
  excess(j: number): number {
    if (this.columnOf[j] < 0) return 0;
    return this.costs.excess(j, this.least[j], this.most[j], this.amounts[j]);
  }

  /** Whether a move has room. */
  has(j: number): boolean {
    return this.columnOf[j] >= 0;
  }

  /** The value that the multipliers of the last bound give to a unit of a move. */
  pull(j: number): number {
    return (this.proof.share * this.proof.earned[this.columnOf[j]]) / this.model.unit[j];
  }

  /** The bound that these multipliers prove for every answer in the part. */
  get proved(): number {
    return this.fixed + this.proof.bound;
  }

  /** The cost that the relaxation spends on a move. */
  spent(j: number): number {
    let sum = 0;
    for (let k = this.columnOf[j]; k >= 0 && k < this.n && this.moveOf[k] === j; k++)
      sum += this.cost[k] * this.values[k];
    return sum;
  }
}

function copyTo<T extends Float64Array | Int32Array>(fresh: T, old: T): T {
  fresh.set(old);
  return fresh;
}
