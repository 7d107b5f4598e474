/**
 * A first combination beside the bound: of the two selections of pricing.ts one is short of the need and one exceeds it. One class changes its
 * option.
 *
 *   short      the cheapest other option of any class that closes what is missing
 *   beyond     the cheapest other option of any class that gives back no more than what is spare
 */
import { moveWithGain } from './completion.js';
import { type Menu, POINT } from './menu.js';
import type { Pricing } from './pricing.js';

/** The least cost after one exchange in the last selection; Infinity: no exchange reaches the need. */
export function exchangedCost(menu: Menu, pricing: Pricing, need: number): number {
  const { cap, width, taken, item, move, cost, gain } = pricing;
  let changes = 0;
  for (let j = 0; j < menu.classes; j++) changes += taken[j];
  let least = gain >= need ? cost : Infinity;
  for (let j = 0; j < menu.classes; j++) {
    const at = j * width + taken[j];
    const wanted = need - gain + menu.gainAt(item[at], move[at]);
    const others = cost - menu.costAt(item[at], move[at]);
    if (!(others < least)) continue;
    const most = cap ? cap - changes + taken[j] : Infinity;
    for (let i = menu.first[j]; i < menu.first[j + 1]; i++) {
      if (cap && menu.changes[i] > most) continue;
      const total = others + costFor(menu, i, wanted);
      if (total < least) least = total;
    }
  }
  pricing.operations += 10 * menu.items;
  return least;
}

/** The least cost with which an item gains an amount; Infinity: it does not. */
function costFor(menu: Menu, i: number, wanted: number): number {
  if (menu.kind[i] === POINT) return menu.g0[i] >= wanted ? menu.c0[i] : Infinity;
  const from = menu.from[i];
  const to = menu.to[i];
  if (!(menu.gainAt(i, to) >= wanted)) return Infinity;
  if (menu.gainAt(i, from) >= wanted) return menu.costAt(i, from);
  const t = moveWithGain(menu, i, wanted);
  const step = menu.step[i];
  return menu.costAt(i, Math.min(to, step > 0 ? from + step * Math.ceil((t - from) / step) : t));
}
