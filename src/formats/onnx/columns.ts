/**
 * Columns of numbers that a graph makes of its inputs, each of one input column:
 *
 *   number    g(x) = step_n(... step_1(x)), in the arithmetic of the runtime: each step rounds as onnxruntime does, and rises or falls
 *   word      a text
 *   table     a number for each category of a text or a code, and a number for all others
 *
 * A tree compares a column, and the exact g finds the threshold of x itself. Other models take g as an affine function.
 */
import { BOOL, DOUBLE, FLOAT, INT32, INT64, STRING } from './file/onnx-tensor.js';
import type { NodeView } from './operators/node-view.js';

export interface ColumnStep {
  run(x: number): number;
  /** The step without rounding: factor * x + shift. Null: it has no such form. */
  readonly map: { readonly factor: number; readonly shift: number } | null;
  readonly isRising: boolean;
  /** The value in place of a missing one. */
  readonly imputed?: number;
}

export interface ScalarColumn {
  readonly kind: 'number';
  readonly input: InputColumn;
  readonly steps: readonly ColumnStep[];
}

export interface WordColumn {
  readonly kind: 'word';
  readonly input: InputColumn;
}

export interface CodedColumn {
  readonly kind: 'table';
  readonly input: InputColumn;
  /** By category of the input. */
  readonly values: readonly number[];
  /** For all other categories. Null: they are an error. */
  readonly other: number | null;
}

export type OnnxColumn = ScalarColumn | WordColumn | CodedColumn;

/** A column of the row that the graph is given. */
export interface InputColumn {
  readonly place: number;
  readonly name: string;
  readonly type: number;
  /** The categories that an encoder names. */
  categories?: readonly string[];
}

const RISING = { isRising: true, map: { factor: 1, shift: 0 } };

/** By type of entries: what becomes of a number. */
const ROUNDINGS: ReadonlyMap<number, ColumnStep> = new Map<number, ColumnStep>([
  [FLOAT, { run: Math.fround, ...RISING }],
  [DOUBLE, { run: (x) => x, ...RISING }],
  [INT64, { run: Math.trunc, isRising: true, map: null }],
  [INT32, { run: Math.trunc, isRising: true, map: null }],
  [BOOL, { run: (x) => x, ...RISING }],
]);

/** Types whose numbers stay as they are in the other type. */
const isWhole = (type: number): boolean => type === INT64 || type === INT32 || type === BOOL;

export function inputColumn(input: InputColumn): OnnxColumn {
  if (input.type === STRING) return { kind: 'word', input };
  return { kind: 'number', input, steps: isWhole(input.type) ? [] : [ROUNDINGS.get(input.type)!] };
}

export const isColumnType = (type: number): boolean => type === STRING || ROUNDINGS.has(type);

/** The column in another type. */
export function castColumn(column: OnnxColumn, to: number, node: NodeView): OnnxColumn {
  const step = ROUNDINGS.get(to);
  if (column.kind === 'word' && to === STRING) return column;
  if (!step || column.kind === 'word' || to === BOOL) throw node.refuse('a cast from or to text or truth values', 'to');
  if (column.kind === 'number' && column.steps.at(-1) === step) return column;
  return withStep(column, step);
}

export function withStep(column: ScalarColumn | CodedColumn, step: ColumnStep): OnnxColumn {
  if (column.kind === 'number') return { ...column, steps: [...column.steps, step] };
  return {
    ...column,
    values: column.values.map(step.run),
    other: column.other === null ? null : step.run(column.other),
  };
}

export const runSteps = ({ steps }: ScalarColumn, x: number): number =>
  steps.reduce((value, step) => step.run(value), x);

export const isRising = ({ steps }: ScalarColumn): boolean =>
  steps.reduce((rising, step) => rising === step.isRising, true);

/** Rounding and nothing else. */
export const isPlain = ({ steps }: ScalarColumn): boolean =>
  steps.every(({ map, imputed }) => map?.factor === 1 && map.shift === 0 && imputed === undefined);

/** Whether the only rounding is that of an input or a cast in float32. */
export const isSingle = (column: ScalarColumn): boolean =>
  isPlain(column) && column.steps.some((step) => step === ROUNDINGS.get(FLOAT));

/** Rounding to the type of the entries, after each operation. */
export const roundingOf = (type: number): ((x: number) => number) => (type === DOUBLE ? (x) => x : Math.fround);
