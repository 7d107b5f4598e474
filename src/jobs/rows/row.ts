/** A row as a parser hands it to a plan: values in the model's order of features, still as the input spells them. */
import type { RowValue } from '../../documents/model-document.js';
import type { LoadedModel } from '../../models/load.js';

export interface RowFault {
  readonly path: string;
  readonly message: string;
}

export interface ParsedRow {
  id: string;
  readonly raw: (RowValue | undefined)[];
  /** undefined: the row has none of its own. */
  target: unknown;
  /** Set: the row could not be parsed; the id is the best guess there is. */
  fault: RowFault | undefined;
}

/** Parses one record. The row it gives is the same object every time: use it before the next call. */
export type RowParser = (record: string, rowNumber: number) => ParsedRow;

export function createRow(model: LoadedModel): ParsedRow {
  return { id: '', raw: model.space.features.map(() => undefined), target: undefined, fault: undefined };
}

/** The name of a row that has none. */
export const numberedId = (rowNumber: number): string => `row-${rowNumber}`;

/**
 * A target given as text, in a column or on the command line: a class by its name, else what it says as JSON (a number, a
 * list of classes, an interval). Text that is neither is passed on, for the message about unknown classes.
 */
export function readTargetText(text: string, classes: readonly string[]): unknown {
  if (classes.includes(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'number' || (typeof value === 'object' && value !== null) ? value : text;
  } catch {
    return text;
  }
}
