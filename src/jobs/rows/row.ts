/** A parsed row for a plan: values in the model's order of features, in the spelling of the input. */
import type { RowValue } from '../../documents/model-document.js';
import type { RowFault } from '../../documents/row-error.js';
import type { LoadedModel } from '../../models/load.js';

export interface ParsedRow {
  id: string;
  readonly raw: (RowValue | undefined)[];
  /** Undefined: the row has no target of its own. */
  target: unknown;
  /** Set: the row could not be parsed. The id is then the best guess. */
  faults: readonly RowFault[] | undefined;
}

/** Parses one record. The returned row is the same object every time: use it before the next call. */
export type RowParser = (record: string, rowNumber: number) => ParsedRow;

export function createRow(model: LoadedModel): ParsedRow {
  return { id: '', raw: model.space.features.map(() => undefined), target: undefined, faults: undefined };
}

/** The id of a row without one. */
export const numberedId = (rowNumber: number): string => `row-${rowNumber}`;

/**
 * A target given as text, in a column or on the command line: a class by its name, else parsed as JSON (a number, a list of classes, an
 * interval). Other text is passed on, for the message about unknown classes.
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

/** Several targets: a JSON list of targets, else names with commas between them. */
export function readTargetsText(text: string, classes: readonly string[]): unknown {
  const value = text.trimStart().startsWith('[') ? readTargetText(text, classes) : undefined;
  return Array.isArray(value) ? value : text.split(',').map((name) => readTargetText(name.trim(), classes));
}

/** A target as a column has it. */
export const targetText = (target: unknown): string =>
  typeof target === 'string' ? target : (JSON.stringify(target) ?? '');
