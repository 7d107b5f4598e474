/**
 * Other people's way: the nearest background rows that have the target, taken over as far as the policy lets the person,
 * then pulled back towards the person cell by cell, and polished. A row that is no answer any more with what the person
 * must keep is a place to descend from. Without such rows the tweaks of single trees make the start.
 */
import type { CellSearch } from '../cells/cell-search.js';
import { SampleCells } from '../cells/sample-cells.js';
import { forestHeuristic, type Strategy } from './forest-heuristic.js';
import { Tweaker } from './forest-tweak.js';

/** How many rows are pulled. */
const CANDIDATES = 6;

/** Pulls the nearest rows; the best answer is noted. */
export function pull(search: CellSearch, samples: SampleCells, count: number): void {
  const { point } = search;
  for (const at of samples.nearest(point, count)) {
    if (search.isLate()) return;
    point.goTo(at);
    if (point.holds()) search.restore();
    else search.descend(1);
  }
}

function prepare(search: CellSearch): Strategy {
  const samples = new SampleCells(search.point.cells);
  const tweaker = new Tweaker(search);
  return (_, anyAnswer) => {
    pull(search, samples, anyAnswer ? 1 : CANDIDATES);
    if (!search.point.found) {
      search.point.goTo(search.point.home);
      tweaker.run();
    }
    if (!anyAnswer) search.polish();
  };
}

export const forestPull = forestHeuristic('forest-pull', prepare);
