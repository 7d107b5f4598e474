/** Starts for one person: rows of the training set that have the target, placed in the person's domain, cheapest first. */
import { spread } from '../../models/features.js';
import { atomsOf, type Problem } from '../../problems/problem.js';
import { sampleRows } from '../neighbours/sample-rows.js';
import { ASKED_BEFORE } from '../solver.js';
import type { Asked, PersonSearch } from './person-search.js';

/** The number of rows that are scored, evenly spaced over the training set. */
const MOST_ROWS = 1000;

export class TargetSamples {
  /** Null: not scored yet. */
  private rows: readonly Float64Array[] | null = null;

  constructor(private readonly problem: Problem) {}

  /** The rows placed in the person's domain, cheapest first. */
  *nearest(search: PersonSearch, most: number): Asked<Float64Array[]> {
    if (this.rows) yield ASKED_BEFORE;
    this.rows ??= yield* this.withTarget();
    const placed = this.rows.flatMap((row) => search.placeValues(row) ?? []);
    const costs = new Map(placed.map((x) => [x, search.costOf(x)]));
    return placed.sort((a, b) => costs.get(a)! - costs.get(b)!).slice(0, most);
  }

  /** The rows of the training set, and the samples of a `knn` model. */
  private knownRows(): readonly Float64Array[] {
    const { samples } = this.problem;
    const own = atomsOf(this.problem, 'neighbours').map((atom) => sampleRows(atom, this.problem));
    return own.length && own[0] !== samples ? [...samples, ...own[0]] : samples;
  }

  private *withTarget(): Asked<readonly Float64Array[]> {
    const { space, holds } = this.problem;
    const samples = this.knownRows();
    const stride = Math.max(1, Math.ceil(samples.length / MOST_ROWS));
    const rows = samples.filter((row, k) => k % stride === 0 && !row.some(Number.isNaN));
    const points = rows.map((row) => {
      const columns = new Float64Array(space.columns);
      spread(space, row, columns);
      return columns;
    });
    yield points;
    return rows.filter((_, k) => holds(points[k]));
  }
}
