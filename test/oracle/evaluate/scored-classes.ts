/**
 * Families with a number z_k per class of which the largest wins, ties to the lower class: softmax, LDA, naive Bayes, QDA.
 * Reported: e^{z_k} / Σ e^{z_j}, normalised sigmoids of z, or z itself.
 *
 *   lda            z_k = μ_kᵀ S⁻¹ x - ½ μ_kᵀ S⁻¹ μ_k + log π_k
 *   naive Bayes    z_k = log π_k - ½ Σ_i log v_ki - ½ Σ_i (x_i - μ_ki)² / v_ki
 *   qda            z_k = log π_k - ½ log|S_k| - ½ (x - μ_k)ᵀ S_k⁻¹ (x - μ_k)
 *
 * A margin is the lead of the target's reported score over the best rival's.
 */
import { invert } from './elimination.js';
import { certainWinner, type Evaluator, within } from './evaluator.js';
import type { Goal } from './goal.js';
import type { Inputs } from './inputs.js';
import { linearSum, type Sum } from './linear.js';
import { atLeastZero, both, isCoarse, ROUNDING, type Verdict } from './verdict.js';

export type Normalization = 'softmax' | 'sigmoid' | 'none';

type ClassSums = (inputs: Inputs) => Sum[];

const NORMALIZE: Record<Normalization, (z: readonly number[]) => number[]> = {
  softmax(z) {
    const top = Math.max(...z);
    const powers = z.map((value) => Math.exp(value - top));
    const total = powers.reduce((sum, value) => sum + value, 0);
    return powers.map((value) => value / total);
  },
  sigmoid(z) {
    const each = z.map((value) => 1 / (1 + Math.exp(-value)));
    const total = each.reduce((sum, value) => sum + value, 0);
    return each.map((value) => value / total);
  },
  none: (z) => [...z],
};

export function scoredClasses(sums: ClassSums, normalization: Normalization): Evaluator {
  const leads = (all: readonly Sum[], t: number): Verdict =>
    all.reduce<Verdict>((verdict, rival, k) => {
      if (k === t || verdict === 'no') return verdict;
      // An impossible class has -Infinity, and is no rival.
      if (rival.value === -Infinity && all[t].value > -Infinity) return verdict;
      return both(verdict, atLeastZero(all[t].value - rival.value, all[t].error + rival.error, k < t));
    }, 'yes');
  const scores = (inputs: Inputs) => NORMALIZE[normalization](sums(inputs).map(({ value }) => value));
  const scoreError = (inputs: Inputs) => {
    const worst = Math.max(...sums(inputs).map(({ value, error }) => error + ROUNDING * finite(value)));
    return normalization === 'none' ? worst : 4e-16 + Math.min(1, 2 * worst);
  };
  return {
    scores,
    scoreError,
    predicted: (inputs) => {
      const all = sums(inputs);
      return certainWinner((k) => leads(all, k), all.length);
    },
    reaches(inputs, goal: Goal) {
      if (goal.kind === 'interval') return within(scores(inputs)[goal.index], goal, scoreError(inputs));
      const decided = leads(sums(inputs), goal.index);
      if (goal.margin === 0 || decided === 'no') return decided;
      const shown = scores(inputs);
      const lead = shown[goal.index] - Math.max(...shown.filter((_, k) => k !== goal.index));
      return both(decided, atLeastZero(lead - goal.margin, 2 * scoreError(inputs)));
    },
  };
}

const finite = (value: number): number => (Number.isFinite(value) ? Math.abs(value) : 0);

export function softmaxSums(weights: readonly number[][], bias: readonly number[]): ClassSums {
  return (inputs) => weights.map((row, k) => linearSum(row, bias[k], inputs));
}

export interface LdaParameters {
  means: number[][];
  covariance: number[][];
  priors: number[];
}

export function ldaSums({ means, covariance, priors }: LdaParameters): ClassSums {
  const { rows, condition } = invert(covariance);
  const weights = means.map((mean) => rows.map((row) => row.reduce((sum, value, j) => sum + value * mean[j], 0)));
  const bias = means.map(
    (mean, k) => Math.log(priors[k]) - 0.5 * mean.reduce((sum, value, i) => sum + value * weights[k][i], 0),
  );
  // Weights are themselves results: they carry the condition of the covariance.
  const sizes = means.map((mean) =>
    rows.map((row) => row.reduce((sum, value, j) => sum + Math.abs(value * mean[j]), 0)),
  );
  return ({ x, size }) =>
    weights.map((row, k) => {
      const value = row.reduce((sum, weight, i) => sum + weight * x[i], bias[k]);
      const scale = sizes[k].reduce(
        (sum, weight, i) => sum + weight * (size[i] + Math.abs(means[k][i])),
        Math.abs(bias[k]),
      );
      return { value, error: ROUNDING * condition * scale };
    });
}

export interface NaiveBayesParameters {
  means: number[][];
  variances: number[][];
  priors: number[];
}

export function naiveBayesSums({ means, variances, priors }: NaiveBayesParameters): ClassSums {
  const offsets = priors.map(
    (prior, k) => Math.log(prior) - 0.5 * variances[k].reduce((sum, variance) => sum + Math.log(variance), 0),
  );
  const logs = priors.map(
    (prior, k) =>
      finite(Math.log(prior)) + variances[k].reduce((sum, variance) => sum + 2 + Math.abs(Math.log(variance)), 0),
  );
  // Equal priors and equal products of variances cancel whatever the rounding of their logarithms.
  const plain =
    priors.every((prior) => prior === priors[0]) &&
    variances.every((row) => row.join() === variances[0].join() && row.every(isPowerOfTwo));
  const coarse = plain && means.every((row) => row.every(isCoarse));
  return ({ x, size, noise }) =>
    means.map((mean, k) => {
      let square = 0;
      let scale = 0;
      let exact = coarse;
      for (let i = 0; i < mean.length; i++) {
        square += (x[i] - mean[i]) ** 2 / variances[k][i];
        scale += (size[i] + Math.abs(mean[i]) + noise[i]) ** 2 / variances[k][i];
        exact &&= isCoarse(x[i]) && isCoarse(size[i]) && noise[i] === 0;
      }
      return exact
        ? { value: -0.5 * square, error: 0 }
        : {
            value: offsets[k] - 0.5 * square,
            error: ROUNDING * (scale + logs[k]) + noiseOf(mean, variances[k], x, noise),
          };
    });
}

const isPowerOfTwo = (value: number): boolean => Number.isInteger(Math.log2(value));

const noiseOf = (mean: number[], variance: number[], x: Float64Array, noise: Float64Array): number =>
  mean.reduce((sum, at, i) => sum + (noise[i] * (Math.abs(x[i] - at) + noise[i])) / variance[i], 0);

export interface QdaParameters {
  means: number[][];
  covariances: number[][][];
  priors: number[];
}

export function qdaSums({ means, covariances, priors }: QdaParameters): ClassSums {
  const inverses = covariances.map(invert);
  return ({ x, size }) =>
    means.map((mean, k) => {
      const { rows, logDeterminant, condition } = inverses[k];
      let form = 0;
      let scale = 0;
      for (let i = 0; i < mean.length; i++) {
        for (let j = 0; j < mean.length; j++) {
          form += rows[i][j] * (x[i] - mean[i]) * (x[j] - mean[j]);
          scale += Math.abs(rows[i][j]) * (size[i] + Math.abs(mean[i])) * (size[j] + Math.abs(mean[j]));
        }
      }
      const logs = finite(Math.log(priors[k])) + Math.abs(logDeterminant) + mean.length;
      return {
        value: Math.log(priors[k]) - 0.5 * logDeterminant - 0.5 * form,
        error: ROUNDING * condition * (scale + logs),
      };
    });
}
