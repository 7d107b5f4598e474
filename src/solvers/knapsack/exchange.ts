/**
 * A first combination beside the bound: of the two selections of pricing.ts one is short of the need and one exceeds it. One class changes its
 * option.
 *
 *   short      the cheapest other option of any class that closes what is missing
 *   beyond     the cheapest other option of any class that gives back no more than what is spare
 */
import { moveWithGain } from './completion.js';
import { type Menu, POINT } from './menu.js';

/** A selection of pricing.ts: by class its number of changes, and by class and number of changes an item and a move. */
interface Selection {
  readonly cap: number;
  readonly width: number;
  readonly taken: Int32Array;
  readonly item: Int32Array;
  readonly move: Float64Array;
  readonly cost: number;
  readonly gain: number;
}

/** The best exchange in a selection. */
export class Exchange {
  /** The class; -1: none is of use. */
  class = -1;
  item = 0;
  move = 0;
  cost = Infinity;

  /** Looks for a combination that costs less than `below` and reaches the need. */
  find(menu: Menu, selection: Selection, need: number, below: number): boolean {
    const { cap, width, taken, item, move, cost, gain } = selection;
    this.class = -1;
    this.cost = below;
    let changes = 0;
    for (let j = 0; j < menu.classes; j++) changes += taken[j];
    for (let j = 0; j < menu.classes; j++) {
      const at = j * width + taken[j];
      const wanted = need - gain + menu.gainAt(item[at], move[at]);
      const others = cost - menu.costAt(item[at], move[at]);
      const most = cap ? cap - changes + taken[j] : Infinity;
      for (let i = menu.first[j]; i < menu.first[j + 1]; i++)
        if (others + menu.c0[i] < this.cost && !(cap && menu.changes[i] > most))
          this.consider(menu, j, i, others, wanted);
    }
    return this.class >= 0;
  }

  private consider(menu: Menu, j: number, i: number, others: number, wanted: number): void {
    const t = moveFor(menu, i, wanted);
    if (t === Infinity) return;
    const total = others + menu.costAt(i, t);
    if (!(total < this.cost)) return;
    this.class = j;
    this.item = i;
    this.move = t;
    this.cost = total;
  }
}

/** The first move with which an item gains an amount; Infinity: none. */
function moveFor(menu: Menu, i: number, wanted: number): number {
  if (menu.kind[i] === POINT) return menu.g0[i] >= wanted ? 0 : Infinity;
  const from = menu.from[i];
  const to = menu.to[i];
  if (!(menu.gainAt(i, to) >= wanted)) return Infinity;
  if (from === to || menu.gainAt(i, from) >= wanted) return from;
  const t = moveWithGain(menu, i, wanted);
  const step = menu.step[i];
  return Math.min(to, step > 0 ? from + step * Math.ceil((t - from) / step) : t);
}
