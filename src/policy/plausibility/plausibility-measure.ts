/**
 * Measures of plausibility, and what a policy makes of one:
 *
 *   limit   value(x') >= need            `atLeast`: a quantile of the background's own values
 *   term    cost(x' - x) + weight · penalty(x'),   penalty >= 0, falling in the value
 */
import type { Atom, Goal } from '../../models/region.js';

/** How plausible columns are: the more, the larger the value. */
export interface Measure {
  value(columns: Float64Array): number;
  /** The slope of the value by column; absent: there is none. */
  readonly slope?: (columns: Float64Array, out: Float64Array) => void;
  /** A bound above the values between two columns' ends, either of which may be infinite; absent: none is known. */
  readonly mostWithin?: (lower: Float64Array, upper: Float64Array) => number;
  /** What a value counts for in a cost: at least 0. */
  penaltyOf(value: number): number;
  /** The slope of the penalty by the value. */
  penaltySlope(value: number): number;
  /** Operations for one value, about. */
  readonly flops: number;
}

export interface PlausibilityLimit {
  /** The condition as an atom on columns; null: known by its word alone. */
  readonly atom: Atom | null;
  holds(columns: Float64Array): boolean;
  /** How far inside, in the spread of the background's values; absent: no search follows it. */
  readonly margin?: (columns: Float64Array) => number;
  /** The slope of `margin` by column; absent: there is none. */
  readonly gradient?: (columns: Float64Array, out: Float64Array) => void;
  /** Operations for one look, about. */
  readonly flops: number;
}

/** What is added to the cost of columns. */
export interface CostTerm {
  /** At least 0, and finite. */
  of(columns: Float64Array): number;
  /** A bound below what is added anywhere between two columns' ends; 0: none is known. */
  leastWithin(lower: Float64Array, upper: Float64Array): number;
  /** The slope by column; null: there is none. */
  readonly gradient: ((columns: Float64Array, out: Float64Array) => void) | null;
  /** Operations for one look, about. */
  readonly flops: number;
}

export interface PlausibilityTerm extends CostTerm {
  /** The same before its weight. */
  penalty(columns: Float64Array): number;
}

export interface Plausibility {
  /** Null: the policy asks for none. */
  readonly limit: PlausibilityLimit | null;
  readonly term: PlausibilityTerm | null;
  /** The share of the background that is no more plausible; absent: there is no background to compare with. */
  readonly shareOf?: (columns: Float64Array) => number;
}

/** The measure of a policy, which may depend on the target. */
export interface TargetPlausibility {
  of(goals: readonly Goal[]): Plausibility;
}

export const forEveryTarget = (plausibility: Plausibility): TargetPlausibility => ({ of: () => plausibility });
