/**
 * The largest documents. Each bound is a bound on work: at the bound, loading or preparing takes a few seconds. A larger document is
 * refused with the field, its size and the size that would fit. The values here apply to the library. `bounds` in the configuration applies
 * to commands, workers and the API.
 */
import { ElsewiseError } from '../documents/error.js';
import type { ModelDocument, PreprocessingStep } from '../documents/model-document.js';
import type { FeatureSpace } from './features.js';

export interface Bounds {
  /** Columns of a model. A one-hot category takes one column for each of its values. */
  readonly columns: number;
  /** Levels of splits in a tree. Methods over trees are recursive. */
  readonly treeLevels: number;
  /** Numbers in background.samples: rows x features. */
  readonly sampleValues: number;
  /** Multiply-adds for matrices: covariances, their inverses, and products of successive dense steps. */
  readonly matrixWork: number;
  /** Numbers in the rows of a target's region: pieces x rows x columns. */
  readonly regionNumbers: number;
  /** Evaluations of plausibility trees on samples. */
  readonly plausibilityLooks: number;
  /** Distances between background rows that the graph of a path may take. */
  readonly pathDistances: number;
  /** Pairs of adjacent rows in the graph of a path. */
  readonly pathEdges: number;
}

export const DEFAULT_BOUNDS: Bounds = {
  columns: 10_000,
  treeLevels: 1000,
  sampleValues: 5_000_000,
  matrixWork: 3_000_000_000,
  regionNumbers: 10_000_000,
  plausibilityLooks: 20_000_000,
  pathDistances: 2_000_000_000,
  pathEdges: 20_000_000,
};

export function beyondBound(path: string, message: string, bound: keyof Bounds): ElsewiseError {
  return new ElsewiseError('bad-document', `${message} (bounds.${bound})`, path);
}

export function checkColumns({ features, columns }: FeatureSpace, bounds: Bounds): void {
  if (columns <= bounds.columns) return;
  const widest = features.reduce((a, b) => (b.width > a.width ? b : a));
  const path = widest.width > 1 ? `model.features[${widest.index}].categories` : 'model.features';
  const hint = widest.width > 1 ? ', one for each category; "encoding": "ordinal" takes one for all' : '';
  throw beyondBound(
    path,
    `the features take ${columns} columns${hint}; at most ${bounds.columns} are taken`,
    'columns',
  );
}

export function checkSamples({ background, features }: ModelDocument, bounds: Bounds): void {
  const rows = background?.samples?.length ?? 0;
  if (rows * features.length <= bounds.sampleValues) return;
  const most = Math.floor(bounds.sampleValues / features.length);
  const message = `${rows} samples of ${features.length} features are too many; at most ${most} samples fit`;
  throw beyondBound('model.background.samples', message, 'sampleValues');
}

/** `work`: in multiply-adds. */
export function checkMatrixWork(work: number, path: string, what: string, bounds: Bounds): void {
  if (work <= bounds.matrixWork) return;
  const amount = `${what} would take ${work.toExponential(1)} multiply-adds`;
  throw beyondBound(path, `${amount}; at most ${bounds.matrixWork.toExponential(1)} are taken`, 'matrixWork');
}

/** A dense step is multiplied with the steps before it if one of these is dense. */
export function checkSteps(steps: readonly PreprocessingStep[], columns: number, bounds: Bounds): void {
  let [width, work, isDense] = [columns, 0, false];
  for (const [i, step] of steps.entries()) {
    if (step.type !== 'affine') continue;
    work += step.matrix.length * width * (isDense ? columns : 1);
    checkMatrixWork(work, `model.preprocessing[${i}].matrix`, 'the matrices one behind the other', bounds);
    [width, isDense] = [step.matrix.length, true];
  }
}
