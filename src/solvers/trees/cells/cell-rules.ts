/**
 * The policy's constraints at a vector of cells. A row a·x is a sum over features, and a move changes one term of the sum:
 *
 *   shortfall(at) = Σ over links of their violation + Σ over clauses of the least violation among their rows
 *
 * each relative to the size of the row's terms. Each cell stands for one value: a constraint that only another value of the same cell would
 * meet counts as broken.
 */
import type { Feature } from '../../../models/features.js';
import type { LinearRow } from '../../../models/region.js';
import type { Domain } from '../../../policy/domain.js';
import { magnitude } from '../../shared/linear-rows.js';
import type { Cells, PersonCells } from './cells.js';

/** A violation up to this share of the row's size is rounding noise. An open end is kept by more than the error of a sum. */
const ROUNDING = 1e-10;
const INSIDE = -1e-12;

export class CellRules {
  private readonly rows: readonly LinearRow[];
  /** Groups of rows of which one must hold: from, to. */
  private readonly groups: readonly (readonly [number, number])[];
  private readonly value: Float64Array;
  private readonly size: Float64Array;
  /** By feature: whether any row reads it. */
  private readonly read: Uint8Array;
  private person!: PersonCells;

  constructor(private readonly cells: Cells) {
    const { links, clauses, space } = cells.problem;
    const groups = [...links.map((row) => [row]), ...clauses.map(({ rows }) => rows)];
    let end = 0;
    this.rows = groups.flat();
    this.groups = groups.map((rows) => {
      end += rows.length;
      return [end - rows.length, end] as const;
    });
    this.value = new Float64Array(this.rows.length);
    this.size = new Float64Array(this.rows.length);
    this.read = Uint8Array.from(
      space.features,
      ({ column, width }) =>
        +this.rows.some(({ a }) => a.subarray(column, column + width).some((factor) => factor !== 0)),
    );
  }

  get none(): boolean {
    return this.rows.length === 0;
  }

  begin(person: PersonCells, { origin }: Domain): void {
    this.person = person;
    for (const [r, row] of this.rows.entries()) this.size[r] = magnitude(row, origin) || 1;
  }

  load(at: Int32Array): void {
    for (const [r, row] of this.rows.entries()) {
      this.value[r] = 0;
      for (const { feature } of this.cells.features) this.value[r] += this.term(row, feature, at[feature.index]);
    }
  }

  move(f: number, from: number, to: number): void {
    if (!this.read[f]) return;
    for (let r = 0; r < this.rows.length; r++) this.value[r] += this.change(r, f, from, to);
  }

  /** The shortfall after one more move. A move from a cell to itself gives the present shortfall. */
  shortfallAfter(f: number, from: number, to: number): number {
    const moved = this.read[f] === 1 && from !== to;
    let total = 0;
    for (const [start, end] of this.groups) {
      let least = Infinity;
      for (let r = start; r < end; r++) {
        const value = this.value[r] + (moved ? this.change(r, f, from, to) : 0);
        const violation = Math.max(this.rows[r].lower - value, value - this.rows[r].upper) / this.size[r];
        const allowed = this.rows[r].open ? INSIDE : ROUNDING;
        if (violation < least) least = violation <= allowed ? 0 : Math.max(violation, ROUNDING);
      }
      total += least;
    }
    return total;
  }

  private change(r: number, f: number, from: number, to: number): number {
    const { feature } = this.cells.features[f];
    return this.term(this.rows[r], feature, to) - this.term(this.rows[r], feature, from);
  }

  /** A missing category equals none of the categories. A row that reads a missing number does not hold. */
  private term({ a }: LinearRow, { kind, column, width, index }: Feature, cell: number): number {
    if (kind === 'choice') return cell < width ? a[column + cell] : 0;
    return a[column] && a[column] * this.person.value[index][cell];
  }
}
