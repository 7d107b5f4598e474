/**
 * A sum (score-sum.ts) divided among the features of a row x, against a reference:
 *
 *   rows r_1 .. r_n    Σ_f φ_f = s(x) - mean_i s(r_i)     Shapley values of the game  v(S) = mean_i s(x on S, r_i elsewhere)
 *   best               φ_f = s_f(x_f) - max s_f           points lost, where s = Σ_f s_f(x_f)
 *
 * Every sum of functions of single features has the Shapley value  φ_f = s_f(x_f) - mean_i s_f(r_if).  The columns of a one-hot category move
 * together: they are one feature. The rows of the reference are all equally likely.
 */
import { linearContributions } from './linear-sum.js';
import { partContributions } from './part-sum.js';
import { type Contributions, refuseReasons, type SummedModel } from './row-contributions.js';
import type { ScoreSum } from './score-sum.js';
import { treeContributions } from './tree-sum.js';

export function contributionsOf(loaded: SummedModel, sum: ScoreSum): Contributions {
  if (sum.kind === 'linear') return linearContributions(loaded, sum);
  if (!loaded.preprocessing.single)
    throw refuseReasons('a step of the preprocessing mixes columns, and the model is no linear one');
  return sum.kind === 'trees' ? treeContributions(loaded, sum) : partContributions(loaded, sum);
}
