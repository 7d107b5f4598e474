/** The contract of a format: a reader of another library's model file. */
import type { ModelDocument } from '../documents/model-document.js';
import type { ImportChoices } from './choices.js';

/** What the caller knows beside the file. */
export interface FormatOptions extends ImportChoices {
  /** Of a scorecard: the points that everybody has. */
  readonly baseScore?: number;
  /** Of a scorecard: the points from which on a row is accepted. */
  readonly cutOff?: number;
  /** Of a scorecard: the points that double the odds, and the odds at a number of points. Scores are then probabilities. */
  readonly pointsToDouble?: number;
  readonly odds?: number;
  readonly oddsPoints?: number;
  /** Of a table of optbinning: the values that are special. */
  readonly specialCodes?: readonly string[];
}

export interface Format {
  /** The precision of the library's arithmetic, which limits the agreement of our scores. */
  readonly precision: 'float32' | 'float64';
  /** The options that the format takes. */
  readonly takes: readonly (keyof FormatOptions)[];
  /** What the beginning of each file of the format has. Absent: the format has to be named. */
  readonly mark?: RegExp;
  read(bytes: Uint8Array, options: FormatOptions): ModelDocument;
}
