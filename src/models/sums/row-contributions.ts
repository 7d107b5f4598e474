/** The types of contributions (contributions.ts), and their refusal. */
import { ElsewiseError } from '../../documents/error.js';
import type { LoadedModel } from '../load.js';

/** Fills the contribution of each feature of a row, which is given by its values. */
export type RowContributions = (values: Float64Array, out: Float64Array) => void;

/** 1: a larger sum is better. */
export type Direction = 1 | -1;

export interface Contributions {
  /** The rows of a reference end in means: their number costs nothing later. */
  readonly hasMeans: boolean;
  /** Against rows, as values by feature. */
  against(rows: readonly Float64Array[]): RowContributions;
  /** Against the best value of each feature. Throws where the sum has no best value for each feature. */
  againstBest(direction: Direction): RowContributions;
}

export type SummedModel = Pick<
  LoadedModel,
  'space' | 'preprocessing' | 'model' | 'segments' | 'classes' | 'background'
>;

/** The feature of each input of the model. Inputs read one column each. */
export const ownersOf = ({ space, preprocessing }: SummedModel): Int32Array =>
  preprocessing.single!.column.map((column) => space.owner[column]);

export const refuseReasons = (message: string, key = ''): ElsewiseError =>
  new ElsewiseError('unsupported', message, `policy.reasons${key}`);
