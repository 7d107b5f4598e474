/**
 * A constraint of the policy: at least one of its rows holds. Sums and sizes are added up as in `keepsLink`, over the columns that a row reads.
 */
import { liesWithin } from '../../linalg/ends.js';
import type { LinearRow } from '../../models/region.js';
import { DEFAULT_TOLERANCE } from '../shared/linear-rows.js';

class SparseRow {
  private readonly columns: Int32Array;
  private readonly entries: Float64Array;
  private readonly ends: Parameters<typeof liesWithin>[0];

  constructor({ a, lower, upper, open, tolerance = DEFAULT_TOLERANCE }: LinearRow) {
    this.columns = Int32Array.from([...a.keys()].filter((c) => a[c] !== 0));
    this.entries = Float64Array.from(this.columns, (c) => a[c]);
    this.ends = { lower, upper, open, tolerance };
  }

  holds(x: Float64Array): boolean {
    const { columns, entries } = this;
    let value = 0;
    let size = 0;
    for (let k = 0; k < columns.length; k++) {
      const term = entries[k] * x[columns[k]];
      value += term;
      size += Math.abs(term);
    }
    return liesWithin(this.ends, value, size);
  }
}

export class RowChoice {
  private readonly rows: readonly SparseRow[];

  constructor(rows: readonly LinearRow[]) {
    this.rows = rows.map((row) => new SparseRow(row));
  }

  holds(x: Float64Array): boolean {
    for (let r = 0; r < this.rows.length; r++) if (this.rows[r].holds(x)) return true;
    return false;
  }
}
