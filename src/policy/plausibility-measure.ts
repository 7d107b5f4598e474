/** What every measure of plausibility tells of columns. */
import type { Atom } from '../models/region.js';

export interface Plausibility {
  /** The condition as an atom on columns; null: known by its word alone. */
  readonly atom: Atom | null;
  holds(columns: Float64Array): boolean;
  /** The share of the background that is no more plausible; absent: there is no background to compare with. */
  readonly shareOf?: (columns: Float64Array) => number;
  /** How far inside, in the spread of the background's values; absent: no search follows it. */
  readonly margin?: (columns: Float64Array) => number;
  /** The slope of `margin` by column; absent: there is none. */
  readonly gradient?: (columns: Float64Array, out: Float64Array) => void;
}
