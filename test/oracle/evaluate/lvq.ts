/**
 * d_p = (x - w_p)ᵀ R_p (x - w_p);  the label of the nearest prototype, ties to the earlier one.  Scores: minus the distance to the
 * nearest prototype of each class.  A margin is how much farther the nearest prototype of another class is.
 */
import type { Evaluator } from './evaluator.js';
import { within } from './evaluator.js';
import type { Inputs } from './inputs.js';
import type { Sum } from './linear.js';
import { atLeastZero, both, either, isCoarse, ROUNDING, type Verdict } from './verdict.js';

export interface LvqParameters {
  prototypes: number[][];
  labels: string[];
  relevance?: number[][];
  relevances?: number[][][];
}

export function lvq(parameters: LvqParameters, classes: readonly string[]): Evaluator {
  const { prototypes, labels } = parameters;
  const owner = labels.map((label) => classes.indexOf(label));
  const matrices = prototypes.map((_, p) => relevanceOf(parameters, owner, p, classes.length));
  const distances = (inputs: Inputs): Sum[] => prototypes.map((at, p) => distance(at, matrices[p], inputs));
  const scores = (inputs: Inputs) => {
    const all = distances(inputs);
    return classes.map((_, k) => Math.max(...all.map(({ value }, p) => (owner[p] === k ? -value : -Infinity))));
  };
  const scoreError = (inputs: Inputs) => Math.max(...distances(inputs).map(({ error }) => error));
  const decided = (all: readonly Sum[], k: number): Verdict =>
    all.reduce<Verdict>(
      (verdict, _, p) => (owner[p] === k ? either(verdict, isNearest(all, owner, p)) : verdict),
      'no',
    );
  return {
    scores,
    scoreError,
    predicted: (inputs) => {
      const all = distances(inputs);
      return classes.findIndex((_, k) => decided(all, k) === 'yes');
    },
    reaches(inputs, goal) {
      const all = distances(inputs);
      const own = Math.min(...all.map(({ value }, p) => (owner[p] === goal.index ? value : Infinity)));
      const error = scoreError(inputs);
      if (goal.kind === 'interval') return within(-own, goal, error);
      const other = Math.min(...all.map(({ value }, p) => (owner[p] === goal.index ? Infinity : value)));
      const lead = goal.margin === 0 ? 'yes' : atLeastZero(other - own - goal.margin, 2 * error);
      return both(decided(all, goal.index), lead);
    },
  };
}

/** Whether prototype p is at least as near as all of other classes, and nearer than the earlier ones of these. */
const isNearest = (all: readonly Sum[], owner: readonly number[], p: number): Verdict =>
  all.reduce<Verdict>(
    (verdict, { value, error }, q) =>
      owner[q] === owner[p] ? verdict : both(verdict, atLeastZero(value - all[p].value, error + all[p].error, q < p)),
    'yes',
  );

function relevanceOf(
  { prototypes, relevance, relevances }: LvqParameters,
  owner: readonly number[],
  p: number,
  classes: number,
): number[][] | null {
  if (relevance) return relevance;
  if (!relevances) return null;
  if (relevances.length === prototypes.length) return relevances[p];
  if (relevances.length !== classes) throw new Error('relevances are by prototype or by class');
  return relevances[owner[p]];
}

function distance(at: readonly number[], matrix: readonly number[][] | null, { x, size, noise }: Inputs): Sum {
  let value = 0;
  let scale = 0;
  let drift = 0;
  let coarse = true;
  for (let i = 0; i < at.length; i++) {
    coarse &&= isCoarse(at[i]) && isCoarse(x[i]) && isCoarse(size[i]) && noise[i] === 0;
    for (let j = 0; j < at.length; j++) {
      const weight = matrix ? matrix[i][j] : +(i === j);
      if (weight === 0) continue;
      coarse &&= isCoarse(weight);
      value += weight * (x[i] - at[i]) * (x[j] - at[j]);
      scale += Math.abs(weight) * (size[i] + Math.abs(at[i])) * (size[j] + Math.abs(at[j]));
      drift += 2 * Math.abs(weight) * noise[i] * (Math.abs(x[j] - at[j]) + noise[j]);
    }
  }
  return { value, error: coarse ? 0 : ROUNDING * scale + drift };
}
