/**
 * Moves points so that they keep the rows of the policy:  lower <= a·x <= upper  for every link, and for one row of every clause. The model is not needed.
 *
 *   1. projects onto violated rows one after the other, in scaled columns and within the domain (Kaczmarz)
 *   2. if that fails, bisects between the point and a point that keeps the policy
 *
 * Every number stays a value of the domain.
 */
import type { LinearRow } from '../../models/region.js';
import type { Domain } from '../../policy/domain.js';
import { nearestValue } from '../../policy/values.js';
import type { Problem } from '../../problems/problem.js';
import { keepsPolicy } from '../shared/answer-check.js';
import { keepsLink, violation } from '../shared/linear-rows.js';

const ROUNDS = 12;
const HALVINGS = 12;
/** A projection goes this fraction of the violation further inside, so that rounding does not undo the step. */
const BEYOND = 1e-9;

export class PolicyRepair {
  private readonly isBound: boolean;

  constructor(
    private readonly problem: Problem,
    private readonly domain: Domain,
    private readonly scale: Float64Array,
    /** Columns of numbers that may change. */
    private readonly columns: readonly number[],
  ) {
    this.isBound = problem.traits.linked || problem.traits.disjunctive || problem.maxChanges < Infinity;
  }

  keeps(x: Float64Array): boolean {
    return !this.isBound || keepsPolicy(this.problem, this.domain, x);
  }

  /** Moves x to a point that keeps the policy. `anchor` is a point that keeps the policy, or null. False: no such point was found. */
  repair(x: Float64Array, anchor: Float64Array | null): boolean {
    if (this.keeps(x)) return true;
    for (let round = 0; round < ROUNDS; round++) {
      for (const row of this.brokenRows(x)) this.meet(row, x);
      if (this.keeps(x)) return true;
    }
    return anchor !== null && this.drawTowards(anchor, x);
  }

  /** The violated links, and for each violated clause its row with the smallest violation. */
  private *brokenRows(x: Float64Array): Generator<LinearRow> {
    const { links, clauses } = this.problem;
    for (const row of links) if (isBroken(row, x)) yield row;
    for (const { rows } of clauses) {
      if (!rows.every((row) => isBroken(row, x))) continue;
      yield rows.reduce((a, b) => (this.distance(b, x) < this.distance(a, x) ? b : a));
    }
  }

  private distance(row: LinearRow, x: Float64Array): number {
    const norm = this.norm(row);
    return norm > 0 ? Math.max(0, violation(row, x)) / Math.sqrt(norm) : Infinity;
  }

  private norm({ a }: LinearRow): number {
    return this.columns.reduce((sum, c) => sum + (a[c] * this.scale[c]) ** 2, 0);
  }

  private meet(row: LinearRow, x: Float64Array): void {
    const norm = this.norm(row);
    // A value at an open end misses the row by nothing, or by its rounding.
    const miss = Math.max(0, violation(row, x));
    if (!(norm > 0) || Number.isNaN(miss)) return;
    const value = row.a.reduce((sum, entry, c) => (entry === 0 ? sum : sum + entry * x[c]), 0);
    const size = Math.abs(value) + Math.abs(miss);
    const change = (row.lower - value > value - row.upper ? 1 : -1) * (miss + BEYOND * size);
    for (const c of this.columns) {
      if (row.a[c] === 0) continue;
      const feature = this.problem.space.features[this.problem.space.owner[c]];
      const moved = x[c] + (change * row.a[c] * this.scale[c] ** 2) / norm;
      x[c] = nearestValue(this.domain, feature, moved);
    }
  }

  private drawTowards(anchor: Float64Array, x: Float64Array): boolean {
    for (let k = 0; k < HALVINGS; k++) {
      const share = k === HALVINGS - 1 ? 0 : 0.5;
      for (const { kind, column, width, index } of this.problem.space.features) {
        if (kind !== 'choice') {
          if (x[column] === anchor[column] || Number.isNaN(x[column])) continue;
          const middle = anchor[column] + share * (x[column] - anchor[column]);
          x[column] = nearestValue(this.domain, this.problem.space.features[index], middle);
        } else if (k >= index % HALVINGS) for (let c = column; c < column + width; c++) x[c] = anchor[c];
      }
      if (this.keeps(x)) return true;
    }
    return false;
  }
}

const isBroken = (row: LinearRow, x: Float64Array): boolean => !keepsLink(row, x);
