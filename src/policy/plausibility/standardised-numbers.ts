/**
 * The numeric columns, standardised:  z = (x - mean) / deviation.  Categories, ranks and numbers that are equal in all rows are left
 * out. A missing number has the value of the model's imputer, or the mean.
 */
import { type AffineMap, applyMap, pullBackVector } from '../../linalg/affine.js';
import { momentsOf } from '../../linalg/moments.js';
import type { LoadedModel } from '../../models/load.js';
import { plausibilityError } from './background-columns.js';

/** How a column is standardised. */
export interface ColumnScale {
  readonly column: number;
  readonly mean: number;
  readonly deviation: number;
}

/** Ends of the standardised numbers. */
export interface NumberBox {
  readonly low: Float64Array;
  readonly high: Float64Array;
}

/** A box is widened by the rounding error of a standardised number, relative to its terms. */
const ROUNDING = 1e-12;

export class StandardisedNumbers {
  readonly map: AffineMap;
  private readonly standIn: Float64Array;
  private readonly known: Float64Array;
  private readonly z: Float64Array;

  constructor(
    { space, preprocessing }: LoadedModel,
    private readonly scales: readonly ColumnScale[],
  ) {
    this.map = mapOf(scales, space.columns);
    this.standIn = preprocessing.imputed.slice();
    for (const { column, mean } of scales) if (Number.isNaN(this.standIn[column])) this.standIn[column] = mean;
    this.known = new Float64Array(space.columns);
    this.z = new Float64Array(scales.length);
  }

  get size(): number {
    return this.scales.length;
  }

  /** Valid until the next call. */
  of(columns: Float64Array): Float64Array {
    applyMap(this.map, this.filled(columns), this.z);
    return this.z;
  }

  /** The same, for points without missing values. Valid until the next call. */
  filled(columns: Float64Array): Float64Array {
    this.known.set(columns);
    for (const { column } of this.scales) if (Number.isNaN(columns[column])) this.known[column] = this.standIn[column];
    for (let c = 0; c < this.known.length; c++) if (Number.isNaN(this.known[c])) this.known[c] = 0;
    return this.known;
  }

  /** The box of z for a box of columns. A missing number may have any value. */
  boxOf(lower: Float64Array, upper: Float64Array): NumberBox {
    const end = (side: number, { column, mean, deviation }: ColumnScale) => {
      const x = (side < 0 ? lower : upper)[column];
      const slack = ROUNDING * ((Math.abs(x) + Math.abs(mean)) / deviation + 1);
      const z = (x - mean) / deviation + side * slack;
      return Number.isNaN(z) ? side * Infinity : z;
    };
    return {
      low: Float64Array.from(this.scales, (scale) => end(-1, scale)),
      high: Float64Array.from(this.scales, (scale) => end(1, scale)),
    };
  }

  /** Maps a gradient by z to a gradient by column. */
  pullBack(slope: Float64Array, out: Float64Array): void {
    out.set(pullBackVector(this.map, slope).a);
  }
}

function mapOf(scales: readonly ColumnScale[], columns: number): AffineMap {
  const matrix = scales.map(({ column, deviation }) => {
    const row = new Float64Array(columns);
    row[column] = 1 / deviation;
    return row;
  });
  return { matrix, diagonal: null, offset: Float64Array.from(scales, ({ mean, deviation }) => -mean / deviation) };
}

/** Built from the background rows, given as columns. */
export function standardise(loaded: LoadedModel, rows: readonly Float64Array[]): StandardisedNumbers {
  const scales = loaded.space.features
    .filter(({ kind }) => kind === 'continuous' || kind === 'integer')
    .map(({ column }) => ({ column, ...momentsOf(knownIn(rows, column)) }))
    .filter(({ deviation }) => deviation > 0 && Number.isFinite(deviation));
  if (!scales.length) throw plausibilityError('.method', 'the background has no numbers that differ between rows');
  return new StandardisedNumbers(loaded, scales);
}

const knownIn = (rows: readonly Float64Array[], column: number): number[] =>
  rows.map((row) => row[column]).filter((value) => !Number.isNaN(value));

/** The distance of a number from an interval. */
export const distanceTo = ({ low, high }: NumberBox, point: Float64Array, i: number): number =>
  Math.max(0, low[i] - point[i], point[i] - high[i]);

/** The squared distance of a point from a box. */
export function squaredDistanceTo(box: NumberBox, point: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < point.length; i++) sum += distanceTo(box, point, i) ** 2;
  return sum;
}
