/**
 * A person somewhere else: a vector of cells with what it costs, how many features it changes, and how the margins stand;
 * and the best answer that was met on the way. A sum near zero is decided by the model itself, and so is every answer,
 * with the policy's rows and cap.
 */
import type { Domain } from '../../../policy/domain.js';
import type { Problem } from '../../../problems/problem.js';
import { isAnswer } from '../../shared/answer-check.js';
import { CellRules } from './cell-rules.js';
import { CellScores } from './cell-scores.js';
import type { Cells, PersonCells } from './cells.js';

/** An answer must be this much cheaper to count as better. */
const WORTH = 1e-9;

export class CellPoint {
  readonly scores: CellScores;
  readonly rules: CellRules;
  readonly problem: Problem;
  cost = 0;
  changes = 0;
  readonly best: Int32Array;
  bestCost = Infinity;
  /** By feature: the cheapest cell that the person may have. */
  readonly home: Int32Array;
  /** By feature: the cell that is no change; -1: every cell is one. */
  readonly still: Int32Array;
  /** Sums closer to zero than this are the model's to judge. */
  readonly unsure: number;
  person!: PersonCells;

  private domain!: Domain;
  private readonly x: Float64Array;

  constructor(readonly cells: Cells) {
    this.problem = cells.problem;
    this.scores = new CellScores(cells);
    this.rules = new CellRules(cells);
    this.best = new Int32Array(cells.features.length);
    this.home = new Int32Array(cells.features.length);
    this.still = new Int32Array(cells.features.length);
    this.x = new Float64Array(this.problem.space.columns);
    this.unsure = 2 * cells.atom.slack;
  }

  /** Starts with a person, at home and without an answer; false when some feature has no cell to be in. */
  begin(person: PersonCells, domain: Domain): boolean {
    this.person = person;
    this.domain = domain;
    this.bestCost = Infinity;
    for (let f = 0; f < this.home.length; f++) {
      this.home[f] = this.cheapestOf(f);
      if (this.home[f] < 0) return false;
      this.still[f] = this.isStill(f) ? person.present[f] : -1;
    }
    this.rules.begin(person, domain);
    this.scores.meet(person.present);
    this.scores.load(this.home);
    this.measure();
    return true;
  }

  /** Goes to a point; only the features that differ cost time. */
  goTo(at: ArrayLike<number>): void {
    for (let f = 0; f < this.home.length; f++) this.scores.move(f, at[f]);
    this.measure();
  }

  move(f: number, cell: number): void {
    const old = this.scores.at[f];
    this.cost += this.person.cost[f][cell] - this.person.cost[f][old];
    this.changes += +(cell !== this.still[f]) - +(old !== this.still[f]);
    this.rules.move(f, old, cell);
    this.scores.move(f, cell);
  }

  /** Makes a move unless it breaks what the point keeps. */
  moveIfHolds(f: number, cell: number): boolean {
    const old = this.scores.at[f];
    this.move(f, cell);
    const sure =
      this.rules.none &&
      !this.cells.atom.relaxed &&
      this.scores.worst() > this.unsure &&
      this.changes <= this.problem.maxChanges;
    if (sure || this.holds()) return true;
    this.move(f, old);
    return false;
  }

  /** Whether the model, the policy's rows and its cap accept the point. */
  holds(): boolean {
    if (this.changes > this.problem.maxChanges || this.scores.worst() < -this.unsure) return false;
    this.person.toColumns(this.scores.at, this.domain, this.x);
    return isAnswer(this.problem, this.domain, this.x);
  }

  /** Notes the point if it is the best answer so far. */
  offer(): boolean {
    if (!this.isCheaper(this.cost) || !this.holds()) return false;
    this.best.set(this.scores.at);
    this.bestCost = this.cost;
    return true;
  }

  /** Looks at the moves of all features to cells that cost less than the limit; the point's own cells are always among them. */
  look(limitOf: (f: number) => number): void {
    for (let f = 0; f < this.home.length; f++) this.narrow(f, limitOf(f));
    this.scores.look();
  }

  /** The interesting cells of a feature: costs grow away from home. */
  private narrow(f: number, limit: number): void {
    const { at, least, most } = this.scores;
    const cost = this.person.cost[f];
    let from = at[f];
    let to = at[f];
    if (this.cells.features[f].unordered) {
      for (let cell = 0; cell < cost.length; cell++) {
        if (!(cost[cell] < limit)) continue;
        from = Math.min(from, cell);
        to = Math.max(to, cell);
      }
    } else {
      for (let cell = this.home[f]; cell >= 0 && !(cost[cell] < Infinity && cost[cell] >= limit); cell--)
        if (cost[cell] < limit && cell < from) from = cell;
      for (let cell = this.home[f]; cell < cost.length && !(cost[cell] < Infinity && cost[cell] >= limit); cell++)
        if (cost[cell] < limit && cell > to) to = cell;
    }
    least[f] = from;
    most[f] = to;
  }

  get found(): boolean {
    return this.bestCost < Infinity;
  }

  isCheaper(cost: number): boolean {
    return cost < (this.found ? this.bestCost * (1 - WORTH) : Infinity);
  }

  /** Below what a feature's cell must cost for the point to become a better answer by moving there alone. */
  affordable(f: number): number {
    return this.found ? this.bestCost * (1 - WORTH) - this.cost + this.person.cost[f][this.scores.at[f]] : Infinity;
  }

  /** The cheapest cell from..to of a feature that the person may have; -1: none. */
  cheapestOf(f: number, from = 0, to = this.person.cost[f].length - 1): number {
    const cost = this.person.cost[f];
    let best = -1;
    for (let cell = from; cell <= to; cell++) if (cost[cell] < (best < 0 ? Infinity : cost[best])) best = cell;
    return best;
  }

  private isStill(f: number): boolean {
    const { feature } = this.cells.features[f];
    const present = this.person.present[f];
    if (feature.kind === 'choice') return this.domain.origin[feature.column + present] === 1;
    return this.person.value[f][present] === this.domain.origin[feature.column];
  }

  private measure(): void {
    const { at } = this.scores;
    this.rules.load(at);
    this.cost = 0;
    this.changes = 0;
    for (let f = 0; f < at.length; f++) {
      this.cost += this.person.cost[f][at[f]];
      this.changes += +(at[f] !== this.still[f]);
    }
  }
}
