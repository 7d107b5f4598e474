/** The background rows that the model accepts, as vectors of cells: points of other people that have the target. */
import { spread } from '../../../models/features.js';
import type { CellPoint } from './cell-point.js';
import { type Cells, cellOf } from './cells.js';

export class SampleCells {
  private readonly samples: readonly Int32Array[];
  private readonly prices: Float64Array;

  constructor(cells: Cells) {
    const { problem, features } = cells;
    const columns = new Float64Array(problem.space.columns);
    const accepted = problem.samples.filter((row) => {
      spread(problem.space, row, columns);
      return problem.holds(columns);
    });
    // A missing value has no cell: -1 keeps the person's own cell.
    this.samples = accepted.map((row) => Int32Array.from(features, (layout, f) => cellOf(layout, row[f])));
    this.prices = new Float64Array(this.samples.length);
  }

  /** The nearest samples as the person can reach them: features that may not take the sample's value stay at home. */
  nearest(point: CellPoint, count: number): Int32Array[] {
    for (const [k, sample] of this.samples.entries()) this.prices[k] = priceOf(point, sample);
    const order = [...this.samples.keys()].sort((a, b) => this.prices[a] - this.prices[b]).slice(0, count);
    return order.map((k) => this.samples[k].map((cell, f) => (isOpen(point, f, cell) ? cell : point.home[f])));
  }
}

const isOpen = ({ person }: CellPoint, f: number, cell: number) => cell >= 0 && person.cost[f][cell] < Infinity;

function priceOf(point: CellPoint, sample: Int32Array): number {
  let price = 0;
  for (let f = 0; f < sample.length; f++) if (isOpen(point, f, sample[f])) price += point.person.cost[f][sample[f]];
  return price;
}
