/**
 * The options of a person for step functions: one value for each cell, the nearest one. Of cells in an order only those are options that
 * gain more than all cells on the way from the present value.
 */
import type { Feature } from '../../models/features.js';
import type { TreesAtom } from '../../models/region.js';
import { leafOf } from '../../models/trees/tree.js';
import { changeCost } from '../../policy/cost.js';
import { type Domain, isFixed, mayStand } from '../../policy/domain.js';
import { isListed } from '../../policy/listed-values.js';
import { nearestValue } from '../../policy/values.js';
import type { Problem } from '../../problems/problem.js';
import { canBe, presentValue } from '../shared/feature-values.js';
import { presentCell, valueIn } from '../trees/cells/cells.js';
import type { Menu } from './menu.js';
import type { OptionSource } from './moved-options.js';
import { type StepTable, type StepTables, stepTables } from './step-tables.js';
import type { Lack } from './sums.js';

export class StepOptions implements OptionSource {
  /** By margin: a sum has a table for each of its ends. */
  private readonly sides: readonly StepTables[];

  constructor(
    private readonly problem: Problem,
    private readonly menu: Menu,
    private readonly atom: TreesAtom,
  ) {
    this.sides = atom.margins.map((margin) => stepTables(problem, atom, margin));
  }

  fill(domain: Domain): Lack | null {
    const { atom, menu, sides } = this;
    const needs = sides.map((side, k) => atom.margins[k].need - this.present(side, domain, k));
    const m = needs.length > 1 && needs[1] > needs[0] ? 1 : 0;
    menu.begin();
    for (const rule of this.problem.rules) {
      const { feature } = rule;
      const mayStay = mayStand(domain, feature);
      if (Number.isNaN(domain.origin[feature.column]) || rule.never || (mayStay && isFixed(domain, feature))) continue;
      const table = sides[m].tables[feature.index];
      if (table) this.addCells(table, domain, this.presentGain(table, domain, m), mayStay);
      else if (!mayStay) this.addAny(feature, domain);
      if (mayStay && menu.isStarted) menu.addPoint(feature.index, Number.NaN, 0, 0, 0);
      if (!mayStay || menu.isStarted) menu.close();
    }
    return { need: needs[m], slack: 2 * atom.slack, depth: 0, isSlab: sides.length > 1 };
  }

  /** The sum at the row of the person. */
  private present({ tables, constant }: StepTables, domain: Domain, m: number): number {
    return tables.reduce((sum, table) => sum + (table ? this.presentGain(table, domain, m) : 0), constant);
  }

  private presentGain({ layout, gain }: StepTable, { origin }: Domain, m: number): number {
    if (Number.isNaN(origin[layout.feature.column])) return gain[layout.count];
    const cell = presentCell(layout, origin);
    return cell >= 0 ? gain[cell] : this.mixedGain(layout.feature.index, origin, m);
  }

  /** A mixture of categories, as an imputer may leave it. */
  private mixedGain(f: number, origin: Float64Array, m: number): number {
    const { forest, margins } = this.atom;
    const { owner } = this.problem.space;
    let sum = 0;
    for (let t = 0; t < forest.root.length; t++) {
      const top = forest.root[t];
      if (forest.left[top] >= 0 && owner[forest.feature[top]] === f) sum += margins[m].gain[leafOf(forest, t, origin)];
    }
    return sum;
  }

  private addCells(table: StepTable, domain: Domain, here: number, mayStay: boolean): void {
    const { layout } = table;
    const present = presentCell(layout, domain.origin);
    if (!mayStay || layout.unordered || present < 0) {
      for (let cell = 0; cell < layout.count; cell++) this.addCell(table, domain, cell, here, mayStay);
      return;
    }
    this.climb(table, table.above, domain, present, 1);
    this.climb(table, table.below, domain, present, -1);
  }

  /** The values of a feature that must change and that no tree looks at. */
  private addAny(feature: Feature, domain: Domain): void {
    const { problem, menu } = this;
    const isChoice = feature.kind === 'choice';
    const from = isChoice ? presentValue(feature, domain.origin) : domain.origin[feature.column];
    const add = (value: number) =>
      menu.addPoint(feature.index, value, changeCost(problem.cost, feature, from, value), 0, 1);
    if (isListed(feature)) for (let k = 0; k <= feature.max; k++) canBe(domain, feature, k) && add(k);
    else add(nearestValue(domain, feature, from));
  }

  /** The records on the way to a side. A cell without a value is passed over. */
  private climb(table: StepTable, next: Int32Array, domain: Domain, present: number, side: 1 | -1): void {
    const { gain, layout } = table;
    const here = gain[present];
    let most = here;
    let cell = next[present];
    while (cell >= 0) {
      if (this.addCell(table, domain, cell, here, true)) {
        most = gain[cell];
        cell = next[cell];
      } else {
        do cell += side;
        while (cell >= 0 && cell < layout.count && !(gain[cell] > most));
        if (cell >= layout.count) cell = -1;
      }
    }
  }

  private addCell({ layout, gain }: StepTable, domain: Domain, cell: number, here: number, mayStay: boolean): boolean {
    const { feature } = layout;
    const isChoice = feature.kind === 'choice';
    const value = valueIn(layout, cell, domain);
    if (Number.isNaN(value) || (isChoice && !canBe(domain, feature, value))) return false;
    if (mayStay && !(gain[cell] > here)) return false;
    const from = isChoice ? presentCell(layout, domain.origin) : domain.origin[feature.column];
    const cost = changeCost(this.problem.cost, feature, from, value);
    this.menu.addPoint(feature.index, value, cost, gain[cell] - here, 1);
    return true;
  }
}
