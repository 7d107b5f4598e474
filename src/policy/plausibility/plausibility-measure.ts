/**
 * Measures of plausibility, and the two ways in which a policy uses a measure:
 *
 *   limit   value(x') >= need            `atLeast`: a quantile of the background's own values
 *   term    cost(x' - x) + weight · penalty(x'),   penalty >= 0, falling in the value
 */
import type { Atom, Goal } from '../../models/region.js';

/** The value at a point. A larger value is more plausible. */
export interface Measure {
  value(columns: Float64Array): number;
  /** The gradient of the value by column. Absent: the value has no gradient. */
  readonly slope?: (columns: Float64Array, out: Float64Array) => void;
  /** An upper bound on the values in a box, whose ends may be infinite. Absent: no bound is known. */
  readonly mostWithin?: (lower: Float64Array, upper: Float64Array) => number;
  /** The penalty of a value in the cost, at least 0. */
  penaltyOf(value: number): number;
  /** The derivative of the penalty by the value. */
  penaltySlope(value: number): number;
  /** The approximate number of operations for one value. */
  readonly flops: number;
}

export interface PlausibilityLimit {
  /** The condition as an atom on columns. Null: the condition has no closed form and can only be evaluated at points. */
  readonly atom: Atom | null;
  holds(columns: Float64Array): boolean;
  /** The signed distance to the limit, in units of the spread of the background's values. Absent: searches cannot use a margin. */
  readonly margin?: (columns: Float64Array) => number;
  /** The gradient of `margin` by column. Absent: `margin` has no gradient. */
  readonly gradient?: (columns: Float64Array, out: Float64Array) => void;
  /** The approximate number of operations for one evaluation. */
  readonly flops: number;
}

/** The term of the cost at a point. */
export interface CostTerm {
  /** The term: at least 0, and finite. */
  of(columns: Float64Array): number;
  /** A lower bound on the term in a box. 0: no bound is known. */
  leastWithin(lower: Float64Array, upper: Float64Array): number;
  /** The gradient by column. Null: the term has no gradient. */
  readonly gradient: ((columns: Float64Array, out: Float64Array) => void) | null;
  /** The approximate number of operations for one evaluation. */
  readonly flops: number;
}

export interface PlausibilityTerm extends CostTerm {
  /** The penalty: the term without its weight. */
  penalty(columns: Float64Array): number;
}

export interface Plausibility {
  /** Null: the policy has none. */
  readonly limit: PlausibilityLimit | null;
  readonly term: PlausibilityTerm | null;
  /** The fraction of background rows that are not more plausible. Absent: there is no background. */
  readonly shareOf?: (columns: Float64Array) => number;
}

/** The measure of a policy. The measure may depend on the target. */
export interface TargetPlausibility {
  of(goals: readonly Goal[]): Plausibility;
}

export const forEveryTarget = (plausibility: Plausibility): TargetPlausibility => ({ of: () => plausibility });
