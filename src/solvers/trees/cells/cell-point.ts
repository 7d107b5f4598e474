/**
 * The person at another point: a vector of cells with its cost, its number of changes and the slack of each margin, together with the
 * incumbent of the search. The model itself decides sums near zero. Every answer is checked by the model and by the policy's rows and cap.
 */
import type { Domain } from '../../../policy/domain.js';
import type { Problem } from '../../../problems/problem.js';
import { isAnswer } from '../../shared/answer-check.js';
import { CellRules } from './cell-rules.js';
import { CellScores } from './cell-scores.js';
import type { Cells, PersonCells } from './cells.js';

/** The relative saving that an answer needs to count as better. */
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
  /** By feature: the cell that is no change; -1: every cell is a change. */
  readonly still: Int32Array;
  /** The model decides about sums closer to zero than this. */
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

  /** Begins a person, at home and without an incumbent. False: some feature has no possible cell. */
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

  /** Goes to a point. Only the features that differ cost time. */
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

  /** Makes a move unless the point would no longer hold. */
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

  /** Takes the point as the incumbent if it is an answer and cheaper. */
  offer(): boolean {
    if (!this.isCheaper(this.cost) || !this.holds()) return false;
    this.best.set(this.scores.at);
    this.bestCost = this.cost;
    return true;
  }

  /** Evaluates the moves of all features to cells that cost less than the limit. The point's own cells are always included. */
  look(limitOf: (f: number) => number): void {
    for (let f = 0; f < this.home.length; f++) this.narrow(f, limitOf(f));
    this.scores.look();
  }

  /** Limits a feature to the cells of interest: costs grow away from home. */
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

  /** A move of a feature to a cell that costs less than this makes the point cheaper than the incumbent. */
  affordable(f: number): number {
    return this.found ? this.bestCost * (1 - WORTH) - this.cost + this.person.cost[f][this.scores.at[f]] : Infinity;
  }

  /** The cheapest possible cell of a feature in from..to; -1: none. */
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
