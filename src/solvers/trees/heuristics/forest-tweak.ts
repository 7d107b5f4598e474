/**
 * Feature tweaking (Tolomei et al., 2017) for sums of trees: the moves into single leaves (leaf-tweaks.ts) are tried on the whole ensemble,
 * in the order of their own tree's gain per price. If none is an answer, the search makes the tweak with the least remaining deficit for
 * its price and tries again from there. After a few tweaks, single moves continue.
 */
import { type CellSearch, POWERS } from '../cells/cell-search.js';
import { forestHeuristic, type Strategy } from './forest-heuristic.js';
import { LeafTweaks } from './leaf-tweaks.js';

/** How many tweaks are tried from one point. */
const TRIES = 24;
/** The largest number of successive tweaks. */
const MOST_TWEAKS = 3;

export class Tweaker {
  private readonly tweaks: LeafTweaks;
  private readonly start: Int32Array;

  constructor(private readonly search: CellSearch) {
    this.tweaks = new LeafTweaks(search.point, TRIES);
    this.start = new Int32Array(search.point.home.length);
  }

  /** Makes tweaks one after the other until an answer is found. Where none helps, single moves take over. */
  run(): void {
    const { search } = this;
    for (let k = 0; k < MOST_TWEAKS && !search.isLate(); k++) {
      const [best] = this.tryAll(1);
      if (search.point.found) return;
      if (!best) break;
      search.point.goTo(best);
    }
    search.descend(0);
    if (!search.point.found) search.descendFromHome(POWERS);
  }

  /** Tries the tweaks of the present point. Answers become incumbents; the best of the others are returned. */
  tryAll(count: number): Int32Array[] {
    const { point } = this.search;
    this.start.set(point.scores.at);
    const [lack, cost] = [this.search.deficit(), point.cost];
    const partial: { at: Int32Array; merit: number }[] = [];
    for (const tweak of this.tweaks.list()) {
      if (this.search.isLate()) break;
      this.tweaks.apply(tweak);
      this.search.spendLook();
      const merit = (lack - this.search.deficit()) / Math.max(point.cost - cost, Number.MIN_VALUE);
      if (!point.offer() && merit > 0 && point.changes <= point.problem.maxChanges)
        partial.push({ at: point.scores.at.slice(), merit });
      point.goTo(this.start);
    }
    return partial
      .sort((a, b) => b.merit - a.merit)
      .slice(0, count)
      .map(({ at }) => at);
  }
}

function prepare(search: CellSearch): Strategy {
  const tweaker = new Tweaker(search);
  return (_, anyAnswer) => {
    tweaker.run();
    if (!anyAnswer) search.polish();
  };
}

export const forestTweak = forestHeuristic('forest-tweak', prepare);
