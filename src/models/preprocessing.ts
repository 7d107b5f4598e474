/**
 * Preprocessing: the steps between a row's columns c and the model's inputs x.
 *
 *   scale   x_i = (c_i - mean_i) / scale_i        affine  x = M c + o        impute  x_i = value_i where c_i is missing
 *   monotone  x_i = f_i(c_i), increasing (monotone.ts)
 *
 * Scoring runs the steps as written, so it rounds as the source library does. Regions need the composition as one affine map x = M c + o
 * and, for rows with missing values, the imputed values in columns. Behind a monotone step there is no affine map: trees are rewritten on
 * columns, rows become sums of functions of columns, and of other regions only scores and slopes are known.
 */
import { ElsewiseError } from '../documents/error.js';
import type { PreprocessingStep } from '../documents/model-document.js';
import { SMALLEST } from '../documents/numbers.js';
import { type AffineMap, compose, diagonalMap, identityMap, isIdentity } from '../linalg/affine.js';
import { Curves } from './curves/monotone.js';

export interface Preprocessing {
  /** The number of inputs of the model behind the steps. */
  readonly inputs: number;
  /** Runs the steps on the columns of a row. The result is valid until the next call. */
  run(columns: Float64Array): Float64Array;
  /** The same for the value of one column. Null: a step mixes columns. */
  readonly runColumn: ColumnRunner | null;
  /** The same by input of the model. Null: an input reads several columns. */
  readonly single: SingleReads | null;
  /** The steps as one affine map, without imputation and without a monotone step before them. */
  readonly map: AffineMap;
  /** The monotone step. Null: without imputation the steps are affine. */
  readonly curves: Curves | null;
  /** The imputed values in columns; NaN where a missing value is an error. */
  readonly imputed: Float64Array;
}

type Runner = (input: Float64Array) => Float64Array;
export type ColumnRunner = (column: number, value: number) => number;

/** Inputs that read one column each. Several inputs may read the same column, as behind discretized columns. */
export interface SingleReads {
  /** By input: its column. */
  readonly column: Int32Array;
  /** The value of an input for the value of its column. */
  readonly run: ColumnRunner;
}

export function buildPreprocessing(steps: readonly PreprocessingStep[], columns: number): Preprocessing {
  let map = identityMap(columns);
  let imputable = true;
  let curves: Curves | null = null;
  const imputed = new Float64Array(columns).fill(Number.NaN);
  const runners: Runner[] = [];
  let single: SingleReads | null = ownColumns(columns);
  for (const [index, step] of steps.entries()) {
    const path = `model.preprocessing[${index}]`;
    const width = map.offset.length;
    if (step.type === 'impute') {
      if (!imputable) throw new ElsewiseError('unsupported', 'impute must come before affine', path);
      if (curves) throw new ElsewiseError('unsupported', 'impute must come before monotone', path);
      checkLength(step.values, width, `${path}.values`);
      undoScale(map, step.values, imputed);
      runners.push(imputeRunner(step.values));
      single = then(single, (i, value) => (Number.isNaN(value) ? (step.values[i] ?? Number.NaN) : value));
    } else if (step.type === 'scale') {
      checkLength(step.mean, width, `${path}.mean`);
      checkLength(step.scale, width, `${path}.scale`);
      const small = step.scale.findIndex((scale) => Math.abs(scale) < SMALLEST);
      if (small >= 0) throw tooSmallScale(step.scale[small], `${path}.scale[${small}]`);
      map = compose(
        diagonalMap(
          step.scale.map((s) => 1 / s),
          step.mean.map((m, i) => -m / step.scale[i]),
        ),
        map,
      );
      runners.push(scaleRunner(step.mean, step.scale));
      single = then(single, (i, value) => (value - step.mean[i]) / step.scale[i]);
    } else if (step.type === 'monotone') {
      if (curves || !isIdentity(map))
        throw new ElsewiseError('unsupported', 'monotone must come before scale, affine and another monotone', path);
      checkLength(step.functions, width, `${path}.functions`);
      checkLength(step.powers, width, `${path}.powers`);
      curves = new Curves(step);
      runners.push(curves.run.bind(curves));
      single = then(single, curves.runColumn.bind(curves));
    } else {
      checkAffine(step, width, path);
      const matrix = step.matrix.map((row) => Float64Array.from(row));
      map = compose({ matrix, diagonal: null, offset: Float64Array.from(step.offset) }, map);
      runners.push(affineRunner(matrix, step.offset));
      single = behindAffine(single, matrix, step.offset);
      imputable = false;
    }
  }
  const run = (columns: Float64Array) => runners.reduce((x, runner) => runner(x), columns);
  const runColumn = imputable ? single!.run : null;
  return { inputs: map.offset.length, map, curves, imputed, run, runColumn, single };
}

/** Inputs that are the columns themselves. */
export const ownColumns = (columns: number): SingleReads => ({
  column: Int32Array.from({ length: columns }, (_, c) => c),
  run: (_, value) => value,
});

/** A step behind the others that leaves inputs in their places. */
const then = (reads: SingleReads | null, step: ColumnRunner): SingleReads | null =>
  reads && { column: reads.column, run: (i, value) => step(i, reads.run(i, value)) };

/** Null: a row of the matrix has several numbers other than 0. */
function behindAffine(
  reads: SingleReads | null,
  matrix: readonly Float64Array[],
  offset: readonly number[],
): SingleReads | null {
  if (!reads || matrix.some((row) => row.reduce((count, weight) => count + +(weight !== 0), 0) > 1)) return null;
  const chosen = matrix.map((row) =>
    Math.max(
      0,
      row.findIndex((weight) => weight !== 0),
    ),
  );
  return {
    column: Int32Array.from(chosen, (input) => reads.column[input]),
    run: (i, value) => offset[i] + matrix[i][chosen[i]] * reads.run(chosen[i], value),
  };
}

function tooSmallScale(scale: number, path: string): ElsewiseError {
  const message = scale === 0 ? 'a scale of 0 divides by zero' : `a scale must be at least ${SMALLEST} in size`;
  return new ElsewiseError('bad-document', message, path);
}

function checkLength(values: readonly unknown[], expected: number, path: string): void {
  if (values.length === expected) return;
  throw new ElsewiseError(
    'bad-document',
    `expected ${expected} numbers, one per model column, got ${values.length}`,
    path,
  );
}

function checkAffine(step: PreprocessingStep & { type: 'affine' }, width: number, path: string): void {
  for (const [i, row] of step.matrix.entries()) checkLength(row, width, `${path}.matrix[${i}]`);
  checkLength(step.offset, step.matrix.length, `${path}.offset`);
}

/** An imputer behind a scaling gives values in scaled units. This converts them to the row's own units. */
function undoScale(map: AffineMap, values: readonly (number | null)[], imputed: Float64Array): void {
  for (const [i, value] of values.entries()) {
    if (value !== null && Number.isNaN(imputed[i])) imputed[i] = (value - map.offset[i]) / map.diagonal![i];
  }
}

function imputeRunner(values: readonly (number | null)[]): Runner {
  const out = new Float64Array(values.length);
  return (input) => {
    for (let i = 0; i < out.length; i++) out[i] = Number.isNaN(input[i]) ? (values[i] ?? Number.NaN) : input[i];
    return out;
  };
}

function scaleRunner(mean: readonly number[], scale: readonly number[]): Runner {
  const m = Float64Array.from(mean);
  const s = Float64Array.from(scale);
  const out = new Float64Array(m.length);
  return (input) => {
    for (let i = 0; i < out.length; i++) out[i] = (input[i] - m[i]) / s[i];
    return out;
  };
}

function affineRunner(matrix: readonly Float64Array[], offset: readonly number[]): Runner {
  const out = new Float64Array(offset.length);
  return (input) => {
    for (let r = 0; r < out.length; r++) {
      const row = matrix[r];
      let sum = offset[r];
      for (let i = 0; i < row.length; i++) sum += row[i] * input[i];
      out[r] = sum;
    }
    return out;
  };
}
