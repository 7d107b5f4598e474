/**
 * The number that decides about a goal, before any link, as an exact sum:
 *
 *   linear   Σ_i w_i x_i
 *   trees    Σ over trees of the gain at the leaf, divided by a count
 *   parts    Σ_p g_p(x)   where each part reads inputs of one or two features
 *
 * For a class the number is the score of the class, or its lead over a rival. A larger number is better for the class. Constants are left out:
 * a contribution is a difference. contributions.ts divides the number among the features.
 */
import type { Forest } from '../trees/tree.js';

export interface LinearSum {
  readonly kind: 'linear';
  /** By input of the model. */
  readonly weights: Float64Array;
}

export interface TreeSum {
  readonly kind: 'trees';
  readonly forest: Forest;
  /** By node of the forest; only leaves matter. */
  readonly gain: Float64Array;
  readonly count: number;
}

export interface PartSum {
  readonly kind: 'parts';
  readonly parts: readonly SumPart[];
}

/** A function of some inputs of the model. */
export interface SumPart {
  readonly inputs: readonly number[];
  value(x: Float64Array): number;
}

export type ScoreSum = LinearSum | TreeSum | PartSum;
