/**
 * Starts from other people: the nearest background rows that have the target are taken over as far as the policy permits, then pulled back
 * towards the person cell by cell, and polished. A row that is no longer an answer with the values that the person must keep is the start
 * of a descent. Without background rows the tweaks of single trees are the starts.
 */
import type { CellSearch } from '../cells/cell-search.js';
import { SampleCells } from '../cells/sample-cells.js';
import { forestHeuristic, type Strategy } from './forest-heuristic.js';
import { Tweaker } from './forest-tweak.js';

/** How many rows are pulled. */
const CANDIDATES = 6;

/** Pulls the nearest rows and keeps the best answer. */
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
