/**
 * Moves from cell to cell towards an answer and then towards a cheaper one; no proof.
 *
 *   deficit(at) = Σ_m max(0, -slack_m(at))
 *
 *   descend   the move with the most deficit less per cost, again and again; on the way, every move that ends it is noted
 *   restore   from an answer, whatever may go back nearer to the person without undoing it, the greatest saving first
 *   polish    one changed feature is released, the others descend again under the best cost so far, until nothing is won
 */
import type { Domain } from '../policy/domain.js';
import { CellPoint } from './cell-point.js';
import type { Cells, PersonCells } from './cells.js';

/** More moves than this in one descent go nowhere. */
const MOST_MOVES = 64;
const MOST_ROUNDS = 12;
/** How many moves are tried on a point that meets the margins and breaks the policy's rows. */
const MENDS = 64;

/** How much prices count: fully, by half, not at all. The last gets to answers where the others are stuck or out of changes. */
export const POWERS: readonly number[] = [1, 0.5, 0];

interface Move {
  f: number;
  cell: number;
}

const NO_MOVE = -1;

export class CellSearch {
  readonly point: CellPoint;
  private late: () => boolean = () => false;
  private readonly locked: Uint8Array;
  private readonly next: Move = { f: NO_MOVE, cell: 0 };
  private readonly last: Move = { f: NO_MOVE, cell: 0 };

  constructor(cells: Cells) {
    this.point = new CellPoint(cells);
    this.locked = new Uint8Array(cells.features.length);
  }

  begin(person: PersonCells, domain: Domain, late: () => boolean): boolean {
    this.late = late;
    this.locked.fill(0);
    return this.point.begin(person, domain);
  }

  isLate(): boolean {
    return this.late();
  }

  /** Descents from home, one for each power. */
  descendFromHome(powers: readonly number[]): void {
    for (const power of powers) {
      if (this.late()) return;
      this.point.goTo(this.point.home);
      this.descend(power);
    }
  }

  /** Moves until there is a better answer, or none helps. The price counts to the given power. */
  descend(power: number): void {
    const { point } = this;
    for (let k = 0; k < MOST_MOVES && !point.offer(); k++) {
      if (this.late()) return;
      point.look((f) => (this.locked[f] ? 0 : point.affordable(f)));
      this.weigh(power);
      this.tryLast();
      if (this.next.f === NO_MOVE) break;
      point.move(this.next.f, this.next.cell);
    }
    if (point.isRuled && point.scores.worst() >= -point.unsure && !point.holds()) this.mend();
  }

  /** From an answer on: cheaper cells, for as long as it stays one. */
  restore(): void {
    const { point } = this;
    const { person, scores } = point;
    for (let more = true; more && !this.late(); ) {
      point.look((f) => person.cost[f][scores.at[f]]);
      more = false;
      for (const { f, cell } of this.savings()) more = point.moveIfHolds(f, cell) || more;
    }
    point.offer();
  }

  /** Improves the best answer until releasing any one feature wins nothing. */
  polish(): void {
    const { point } = this;
    if (!point.found) return;
    point.goTo(point.best);
    this.restore();
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const before = point.bestCost;
      for (const f of this.dearestFirst()) if (!this.late()) this.release(f);
      if (!(point.bestCost < before)) return;
    }
  }

  /** What the margins lack after a move of the last look. */
  private deficitAfter(place: number): number {
    const { slack, rise } = this.point.scores;
    const { unsure } = this.point;
    let deficit = 0;
    let worst = Infinity;
    for (let m = 0; m < slack.length; m++) {
      const after = slack[m] + rise[m][place];
      if (after < worst) worst = after;
      if (after < unsure) deficit += unsure - after;
    }
    return worst >= -unsure ? 0 : deficit;
  }

  private deficit(): number {
    const { slack } = this.point.scores;
    let deficit = 0;
    for (let m = 0; m < slack.length; m++) deficit += Math.max(0, this.point.unsure - slack[m]);
    return deficit;
  }

  /** Chooses `next`, the move with the most deficit less for its price, and `last`, the cheapest that leaves none. */
  private weigh(power: number): void {
    const { person, cost: total, changes, still, problem, scores } = this.point;
    const { at, first, least: from, most: to } = scores;
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
        const after = this.deficitAfter(first[f] + cell);
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

  /** By feature, the cheapest cell that by the last look keeps the margins, greatest saving first. */
  private savings(): Move[] {
    const { person, scores } = this.point;
    const found: (Move & { saving: number })[] = [];
    for (let f = 0; f < scores.at.length; f++) {
      const cost = person.cost[f];
      const here = scores.at[f];
      let best = here;
      for (let cell = scores.least[f]; cell <= scores.most[f]; cell++)
        if (cost[cell] < cost[best] && this.deficitAfter(scores.first[f] + cell) === 0) best = cell;
      if (best !== here) found.push({ f, cell: best, saving: cost[here] - cost[best] });
    }
    return found.sort((a, b) => b.saving - a.saving);
  }

  /** The margins are met, the policy's rows are not: the cheapest one move that makes both so. */
  private mend(): void {
    const { person, scores } = this.point;
    this.point.look((f) => this.point.affordable(f));
    const moves: (Move & { extra: number })[] = [];
    for (let f = 0; f < scores.at.length; f++) {
      const cost = person.cost[f];
      for (let cell = scores.least[f]; cell <= scores.most[f]; cell++)
        if (cost[cell] < Infinity && cell !== scores.at[f] && this.deficitAfter(scores.first[f] + cell) === 0)
          moves.push({ f, cell, extra: cost[cell] - cost[scores.at[f]] });
    }
    const from = scores.at.slice();
    for (const { f, cell } of moves.sort((a, b) => a.extra - b.extra).slice(0, MENDS)) {
      if (this.late()) return;
      this.point.move(f, cell);
      if (this.point.offer()) return;
      this.point.move(f, from[f]);
    }
  }

  private dearestFirst(): number[] {
    const { person, best, home } = this.point;
    const costs = person.cost.map((cost, f) => cost[best[f]] - cost[home[f]]);
    return [...costs.keys()].filter((f) => best[f] !== home[f]).sort((f, g) => costs[g] - costs[f]);
  }

  /** The best answer without one of its changes, the other features on their own. */
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

/** Deficit less per price; what costs nothing comes before all that does. */
function meritOf(gain: number, extra: number, power: number): number {
  if (!(gain > 0)) return 0;
  if (extra <= 0) return gain * 1e30;
  return gain / (power === 1 ? extra : extra ** power);
}
