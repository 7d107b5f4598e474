/**
 * The columns that a model reads, as features and preprocessing of a document. For trees: tree-builder.ts.
 *
 *   number   impute, then factor * x + shift
 *   table    a category's number: the sum over the one-hot columns c_k of value_k c_k
 *
 * Where each column is one of the document in its order, a `scale` step is enough; else an `affine` step.
 */
import { ElsewiseError } from '../../documents/error.js';
import type { FeatureDocument, PreprocessingStep } from '../../documents/model-document.js';
import { type CodedColumn, type InputColumn, isPlain, type OnnxColumn, type ScalarColumn } from './columns.js';
import { BOOL, INT32, INT64 } from './file/onnx-tensor.js';
import { ROOT } from './file/wire-reader.js';
import { WAY_OUT } from './operators/node-view.js';

const refuse = (what: string, input: InputColumn): ElsewiseError =>
  new ElsewiseError(
    'unsupported',
    `this importer does not support ${what}; ${WAY_OUT}`,
    `${ROOT}.graph.input.${input.name}`,
  );

/** A matrix with more entries belongs to no model that fits a document. */
const MOST_ENTRIES = 5_000_000;

export function numberFeature({ name, type }: InputColumn): FeatureDocument {
  if (type === BOOL) return { name, type: 'boolean' };
  return { name, type: type === INT64 || type === INT32 ? 'integer' : 'continuous' };
}

export function featureOf(input: InputColumn, encoding: 'one-hot' | 'ordinal'): FeatureDocument {
  const { name, categories } = input;
  return categories ? { name, type: 'categorical', encoding, categories: [...categories] } : numberFeature(input);
}

/** An input with categories is one thing to all columns that read it. */
export function checkInputs(columns: readonly OnnxColumn[]): void {
  for (const { kind, input } of columns)
    if (kind === 'word' || (kind === 'number' && input.categories))
      throw refuse(`categories that are read as ${kind}s`, input);
}

/** The columns of the document before preprocessing. */
class Layout {
  readonly width: number;
  private readonly start: number[] = [];

  constructor(inputs: readonly InputColumn[]) {
    let width = 0;
    for (const { categories } of inputs) {
      this.start.push(width);
      width += categories?.length ?? 1;
    }
    this.width = width;
  }

  startOf = ({ place }: InputColumn): number => this.start[place];
}

interface AffineRow {
  readonly at: number;
  readonly factors: readonly number[];
  readonly shift: number;
}

export function preprocessingOf(inputs: readonly InputColumn[], columns: readonly OnnxColumn[]): PreprocessingStep[] {
  checkInputs(columns);
  const layout = new Layout(inputs);
  const own = columns as readonly (ScalarColumn | CodedColumn)[];
  const rows = own.map((column) => rowOf(column, layout));
  return [...imputeSteps(own, layout), ...affineSteps(rows, layout, inputs)];
}

function rowOf(column: ScalarColumn | CodedColumn, layout: Layout): AffineRow {
  const at = layout.startOf(column.input);
  if (column.kind === 'table') return { at, factors: column.values, shift: 0 };
  let [factor, shift] = [1, 0];
  for (const { map } of column.steps) {
    if (!map) throw refuse('numbers cut to whole numbers before a model without trees', column.input);
    [factor, shift] = [factor * map.factor, shift * map.factor + map.shift];
  }
  return { at, factors: [factor], shift };
}

function imputeSteps(columns: readonly (ScalarColumn | CodedColumn)[], layout: Layout): PreprocessingStep[] {
  const values = Array<number | null>(layout.width).fill(null);
  const seen = new Set<InputColumn>();
  for (const column of columns) {
    const imputed = column.kind === 'number' ? imputedOf(column) : null;
    const at = layout.startOf(column.input);
    if (seen.has(column.input) && values[at] !== imputed)
      throw refuse('two values in place of a missing one', column.input);
    seen.add(column.input);
    values[at] = imputed;
  }
  return values.some((value) => value !== null) ? [{ type: 'impute', values }] : [];
}

/** In units of the row. */
function imputedOf(column: ScalarColumn): number | null {
  const first = column.steps.findIndex(({ imputed }) => imputed !== undefined);
  if (first < 0) return null;
  if (!isPlain({ ...column, steps: column.steps.slice(0, first) }))
    throw refuse('an imputation behind a scaling', column.input);
  const value = column.steps[first].imputed!;
  return Number.isNaN(value) ? null : value;
}

const isUnitAt = ({ at, factors }: AffineRow, k: number): boolean =>
  factors.every((factor, j) =>
    at + j === k ? factor !== 0 && (factors.length === 1 || factor === 1) : factor === 0,
  ) &&
  at <= k &&
  k < at + factors.length;

function affineSteps(rows: readonly AffineRow[], layout: Layout, [first]: readonly InputColumn[]): PreprocessingStep[] {
  const isInOrder = rows.length === layout.width && rows.every(isUnitAt);
  if (isInOrder) return scaleSteps(rows);
  if (rows.length * layout.width > MOST_ENTRIES) throw refuse(`${rows.length} columns in another order`, first);
  const matrix = rows.map(({ at, factors }) => {
    const row = Array<number>(layout.width).fill(0);
    for (const [j, factor] of factors.entries()) row[at + j] = factor;
    return row;
  });
  return [{ type: 'affine', matrix, offset: rows.map(({ shift }) => shift) }];
}

function scaleSteps(rows: readonly AffineRow[]): PreprocessingStep[] {
  const scales = rows.map(({ factors, shift }) => {
    const factor = factors.length === 1 ? factors[0] : 1;
    return { mean: shift === 0 ? 0 : -shift / factor, scale: 1 / factor };
  });
  if (scales.every(({ mean, scale }) => mean === 0 && scale === 1)) return [];
  return [{ type: 'scale', mean: scales.map(({ mean }) => mean), scale: scales.map(({ scale }) => scale) }];
}
