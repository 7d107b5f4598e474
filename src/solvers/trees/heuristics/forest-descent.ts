/**
 * Counterfactuals of single trees as starts of a gradient-free search on the whole ensemble (CEML's method for forests): greedy moves from
 * cell to cell (cell-search.ts) from the person and from the best tweaks, then polishing.
 */
import { type CellSearch, POWERS } from '../cells/cell-search.js';
import { forestHeuristic, type Strategy } from './forest-heuristic.js';
import { Tweaker } from './forest-tweak.js';

/** How many tweaks start a descent. */
const TWEAKS = 2;

function prepare(search: CellSearch): Strategy {
  const tweaker = new Tweaker(search);
  const { point } = search;
  return (_, anyAnswer) => {
    search.descendFromHome(POWERS);
    if (anyAnswer && point.found) return;
    point.goTo(point.home);
    for (const at of tweaker.tryAll(TWEAKS)) {
      point.goTo(at);
      search.descend(1);
    }
    if (!point.found) tweaker.run();
    search.polish();
  };
}

export const forestDescent = forestHeuristic('forest-descent', prepare);
