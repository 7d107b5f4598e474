/** A row of a scorecard: the points for an interval, for categories, for a missing value, for all other categories, or for special codes. */
import { ElsewiseError } from '../../documents/error.js';

export type ScorecardValues =
  | { readonly kind: 'interval'; readonly from: number; readonly to: number }
  | { readonly kind: 'categories'; readonly names: readonly string[] }
  | { readonly kind: 'missing' | 'other' | 'special' };

export interface ScorecardRow {
  readonly line: number;
  readonly feature: string;
  readonly values: ScorecardValues;
  readonly points: number;
}

export const ROOT = 'scorecard';

/** A fault at a line of the file. */
export const rowFault = (line: number, message: string) =>
  new ElsewiseError('bad-document', message, `${ROOT}, line ${line}`);

/** A number as spreadsheets write it. */
export function readNumber(text: string, hasDecimalCommas: boolean, line: number, what: string): number {
  const plain = text.trim();
  const value = Number(hasDecimalCommas ? plain.replace(',', '.') : plain);
  if (plain !== '' && Number.isFinite(value)) return value;
  throw rowFault(line, `${what}: expected a number, got "${plain.slice(0, 40)}"`);
}
