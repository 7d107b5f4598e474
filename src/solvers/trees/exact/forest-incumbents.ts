/**
 * First incumbents for the exact search: the heuristics for ensembles find them in about a millisecond. A good incumbent at the start is
 * worth more than any bound, because boxes with a higher bound are never opened.
 */
import type { Domain } from '../../../policy/domain.js';
import { unlimited } from '../../../problems/budget.js';
import { CellSearch, POWERS } from '../cells/cell-search.js';
import type { Cells, PersonCells } from '../cells/cells.js';
import { SampleCells } from '../cells/sample-cells.js';
import { pull } from '../heuristics/forest-pull.js';
import { Tweaker } from '../heuristics/forest-tweak.js';

/** An answer that the model has accepted. */
export interface Incumbent {
  readonly at: Int32Array;
  readonly cost: number;
}

/** The number of rows pulled when the descents found nothing. */
const LAST_RESORTS = 6;

export class Incumbents {
  private readonly search: CellSearch;
  private readonly samples: SampleCells;
  private readonly tweaker: Tweaker;

  constructor(cells: Cells) {
    this.search = new CellSearch(cells);
    this.samples = new SampleCells(cells);
    this.tweaker = new Tweaker(this.search);
  }

  /** A good answer for the person. Null: none was found, which proves nothing. */
  best(person: PersonCells, domain: Domain, budget = unlimited()): Incumbent | null {
    const { search } = this;
    const { point } = search;
    if (!search.begin(person, domain, budget)) return null;
    if (!point.offer()) this.look();
    return this.found();
  }

  /** The amount that the person's own leaves lack of each need, for the person of the last `best`. */
  shortfall(): Float64Array {
    const { point } = this.search;
    point.goTo(point.home);
    return point.scores.slack.map((slack) => Math.max(0, -slack));
  }

  /** An answer better than the incumbent, on the way from a given point, for the person of the last `best`. */
  from(at: Int32Array): Incumbent | null {
    const { point } = this.search;
    const before = point.bestCost;
    point.goTo(at);
    if (!point.offer()) this.search.descend(1);
    if (!(point.bestCost < before)) return null;
    this.search.polish();
    return this.found();
  }

  private look(): void {
    const { point } = this.search;
    this.search.descendFromHome(POWERS);
    if (!point.found) pull(this.search, this.samples, LAST_RESORTS);
    if (!point.found) {
      point.goTo(point.home);
      this.tweaker.run();
    }
    this.search.polish();
  }

  private found(): Incumbent | null {
    const { point } = this.search;
    return point.found ? { at: point.best.slice(), cost: point.bestCost } : null;
  }
}
