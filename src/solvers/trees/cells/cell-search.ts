/**
 * Moves from cell to cell to an answer and then to a cheaper answer, without a proof.
 *
 *   deficit(at) = Σ_m max(0, -slack_m(at)) + weight · shortfall of the policy's constraints
 *
 *   descend   repeat the move with the largest decrease of the deficit per cost; every move that ends the deficit is noted on the way
 *   restore   from an answer, move features back towards the person while the point stays an answer, the greatest saving first
 *   polish    release one changed feature and let the others descend again below the best cost, until no release helps
 */
import type { Domain } from '../../../policy/domain.js';
import { type Budget, FLOPS_PER_UNIT, unlimited } from '../../../problems/budget.js';
import { CellPoint } from './cell-point.js';
import type { Cells, PersonCells } from './cells.js';

/** A descent with more moves than this does not get anywhere. */
const MOST_MOVES = 64;
const MOST_ROUNDS = 12;
const FLOPS_PER_TREE = 200;

/**
 * How much prices count: fully, by half, not at all. Without prices the descent reaches answers where the others are stuck or exceed the
 * limit of changes.
 */
export const POWERS: readonly number[] = [1, 0.5, 0];

interface CellMove {
  f: number;
  cell: number;
}

const NO_MOVE = -1;

export class CellSearch {
  readonly point: CellPoint;
  private budget = unlimited();
  private readonly locked: Uint8Array;
  /** The weight of a constraint that is violated by its own size: the total deficit of the margins at home. */
  private ruleWeight = 0;
  private readonly next: CellMove = { f: NO_MOVE, cell: 0 };
  private readonly last: CellMove = { f: NO_MOVE, cell: 0 };

  /** A look visits every tree once. */
  private readonly lookWork: number;

  constructor(cells: Cells) {
    this.lookWork = (FLOPS_PER_TREE * cells.atom.forest.root.length) / FLOPS_PER_UNIT;
    this.point = new CellPoint(cells);
    this.locked = new Uint8Array(cells.features.length);
  }

  begin(person: PersonCells, domain: Domain, budget: Budget): boolean {
    this.budget = budget;
    this.locked.fill(0);
    if (!this.point.begin(person, domain)) return false;
    this.ruleWeight = 0;
    this.ruleWeight = this.deficit() || 1;
    return true;
  }

  isLate(): boolean {
    return this.budget.isSpent;
  }

  private look(limitOf: (f: number) => number): void {
    this.point.look(limitOf);
    this.spendLook();
  }

  /** Counts work that visits every tree once. */
  spendLook(): void {
    this.budget.spend(this.lookWork);
  }

  /** Descends from home, once for each power. */
  descendFromHome(powers: readonly number[]): void {
    for (const power of powers) {
      if (this.isLate()) return;
      this.point.goTo(this.point.home);
      this.descend(power);
    }
  }

  /** Moves until a better answer is found or no move helps. Prices count with the given power. */
  descend(power: number): void {
    const { point } = this;
    for (let k = 0; k < MOST_MOVES && !point.offer(); k++) {
      if (this.isLate()) return;
      this.look((f) => (this.locked[f] ? 0 : point.affordable(f)));
      this.weigh(power);
      this.tryLast();
      if (this.next.f === NO_MOVE) break;
      point.move(this.next.f, this.next.cell);
    }
  }

  /** Moves features of an answer to cheaper cells while the point stays an answer. */
  restore(): void {
    const { point } = this;
    const { person, scores } = point;
    for (let more = true; more && !this.isLate(); ) {
      this.look((f) => person.cost[f][scores.at[f]]);
      more = false;
      for (const { f, cell } of this.savings()) more = point.moveIfHolds(f, cell) || more;
    }
    point.offer();
  }

  /** Improves the incumbent until the release of no single feature helps. */
  polish(): void {
    const { point } = this;
    if (!point.found) return;
    point.goTo(point.best);
    this.restore();
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const before = point.bestCost;
      for (const f of this.dearestFirst()) if (!this.isLate()) this.release(f);
      if (!(point.bestCost < before)) return;
    }
  }

  /** The deficit of the point: of the margins and, in the same measure, of the policy's constraints. */
  deficit(): number {
    const { slack, at } = this.point.scores;
    let deficit = this.point.rules.none ? 0 : this.ruleWeight * this.point.rules.shortfallAfter(0, at[0], at[0]);
    for (let m = 0; m < slack.length; m++) deficit += Math.max(0, this.point.unsure - slack[m]);
    return deficit;
  }

  /** The deficit after a move of the last look. */
  private deficitAfter(f: number, cell: number): number {
    const { slack, rise, first, at } = this.point.scores;
    const { unsure, rules } = this.point;
    let deficit = 0;
    let worst = Infinity;
    for (let m = 0; m < slack.length; m++) {
      const after = slack[m] + rise[m][first[f] + cell];
      if (after < worst) worst = after;
      if (after < unsure) deficit += unsure - after;
    }
    if (worst >= -unsure) deficit = 0;
    return rules.none ? deficit : deficit + this.ruleWeight * rules.shortfallAfter(f, at[f], cell);
  }

  /**
   * Chooses `next`, the move with the largest decrease of the deficit for its price, and `last`, the cheapest move without a deficit
   * afterwards.
   */
  private weigh(power: number): void {
    const { person, cost: total, changes, still, problem, scores } = this.point;
    const { at, least: from, most: to } = scores;
    const deficit = this.deficit();
    let most = 0;
    let least = Infinity;
    this.next.f = this.last.f = NO_MOVE;
    for (let f = 0; f < at.length; f++) {
      if (from[f] === to[f]) continue;
      const cost = person.cost[f];
      const here = cost[at[f]];
      const full = changes - +(at[f] !== still[f]) >= problem.maxChanges;
      for (let cell = from[f]; cell <= to[f]; cell++) {
        const extra = cost[cell] - here;
        if (cell === at[f] || !this.point.isCheaper(total + extra) || (full && cell !== still[f])) continue;
        const after = this.deficitAfter(f, cell);
        if (after === 0 && extra < least) {
          least = extra;
          this.last.f = f;
          this.last.cell = cell;
        }
        const merit = meritOf(deficit - after, extra, power);
        if (merit > most) {
          most = merit;
          this.next.f = f;
          this.next.cell = cell;
        }
      }
    }
  }

  private tryLast(): void {
    const { f, cell } = this.last;
    if (f === NO_MOVE) return;
    const old = this.point.scores.at[f];
    this.point.move(f, cell);
    this.point.offer();
    this.point.move(f, old);
  }

  /** By feature, the cheapest cell that keeps the margins according to the last look, greatest saving first. */
  private savings(): CellMove[] {
    const { person, scores } = this.point;
    const found: (CellMove & { saving: number })[] = [];
    for (let f = 0; f < scores.at.length; f++) {
      const cost = person.cost[f];
      const here = scores.at[f];
      let best = here;
      for (let cell = scores.least[f]; cell <= scores.most[f]; cell++)
        if (cost[cell] < cost[best] && this.deficitAfter(f, cell) === 0) best = cell;
      if (best !== here) found.push({ f, cell: best, saving: cost[here] - cost[best] });
    }
    return found.sort((a, b) => b.saving - a.saving);
  }

  private dearestFirst(): number[] {
    const { person, best, home } = this.point;
    const costs = person.cost.map((cost, f) => cost[best[f]] - cost[home[f]]);
    return [...costs.keys()].filter((f) => best[f] !== home[f]).sort((f, g) => costs[g] - costs[f]);
  }

  /** Undoes one change of the incumbent and lets the other features descend again. */
  private release(f: number): void {
    const { point } = this;
    const before = point.bestCost;
    if (point.best[f] === point.home[f]) return;
    point.goTo(point.best);
    point.move(f, point.home[f]);
    this.locked[f] = 1;
    this.descend(1);
    this.locked[f] = 0;
    if (!(point.bestCost < before)) return;
    point.goTo(point.best);
    this.restore();
  }
}

/** The decrease of the deficit per price. Moves without a price come first. */
function meritOf(gain: number, extra: number, power: number): number {
  if (!(gain > 0)) return 0;
  if (extra <= 0) return gain * 1e30;
  return gain / (power === 1 ? extra : extra ** power);
}
