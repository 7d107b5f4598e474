/**
 * A sum (score-sum.ts) divided among the features of a row x, against a reference:
 *
 *   rows r_1 .. r_n    Σ_f φ_f = s(x) - mean_i s(r_i)     Shapley values of the game  v(S) = mean_i s(x on S, r_i elsewhere)
 *   best               φ_f = s_f(x_f) - max s_f           points lost, where s = Σ_f s_f(x_f)
 *
 * Every sum of functions of single features has the Shapley value  φ_f = s_f(x_f) - mean_i s_f(r_if).  The columns of a one-hot category move
 * together: they are one feature. The rows of the reference are all equally likely.
 */
import { ElsewiseError } from '../../documents/error.js';
import type { LoadedModel } from '../load.js';
import { linearContributions } from './linear-sum.js';
import { partContributions } from './part-sum.js';
import type { ScoreSum } from './score-sum.js';
import { treeContributions } from './tree-sum.js';

/** Fills the contribution of each feature of a row, which is given by its values. */
export type RowContributions = (values: Float64Array, out: Float64Array) => void;

/** 1: a larger sum is better. */
export type Direction = 1 | -1;

export interface Contributions {
  /** Against rows, as values by feature. */
  against(rows: readonly Float64Array[]): RowContributions;
  /** Against the best value of each feature. Throws where the sum has no best value for each feature. */
  againstBest(direction: Direction): RowContributions;
}

export type SummedModel = Pick<LoadedModel, 'space' | 'preprocessing' | 'model' | 'classes' | 'background'>;

export function contributionsOf(loaded: SummedModel, sum: ScoreSum): Contributions {
  if (sum.kind === 'linear') return linearContributions(loaded, sum);
  if (!loaded.preprocessing.runColumn)
    throw refuseReasons('a step of the preprocessing mixes columns, and the model is no linear one');
  return sum.kind === 'trees' ? treeContributions(loaded, sum) : partContributions(loaded, sum);
}

export const refuseReasons = (message: string, key = ''): ElsewiseError =>
  new ElsewiseError('unsupported', message, `policy.reasons${key}`);
