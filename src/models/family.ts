/**
 * The contract of a model family. A family is one file and one row of the table in index.ts: a schema for `parameters`, and a
 * function that makes a `Model` of the parameters. A model scores inputs (after preprocessing) bit-faithfully to its source
 * library and describes the region of a goal. A model knows nothing of costs, policies or solvers.
 */
import type { z } from 'zod';
import { ElsewiseError } from '../documents/error.js';
import type { ScoringParameters } from '../documents/scorer-document.js';
import type { Bounds } from './bounds.js';
import type { FeatureSpace } from './features.js';
import type { Preprocessing } from './preprocessing.js';
import type { Goal, Region } from './region.js';
import type { ScoreMemory } from './score-memory.js';
import type { SharedParts } from './shared-parts.js';
import type { ScoreSum } from './sums/score-sum.js';
import type { Forest } from './trees/tree.js';

export interface Model {
  /** For a model that is scored elsewhere: the memory that provides its raw outputs. */
  readonly memory?: ScoreMemory;
  /** For a model that is scored elsewhere: its scorer, as the document describes it. */
  readonly scoring?: ScoringParameters;
  /** For a model that is scored elsewhere: its scores may change while its digest stays. Its results are not reused for other rows. */
  readonly volatile?: boolean;
  /** Whether the model itself defines the meaning of a missing input. */
  readonly takesMissing?: boolean;
  /** By column, for a model that takes missing inputs: 1 where a missing input is invalid all the same. */
  readonly required?: Uint8Array;
  /** The trees of a model that consists of trees. */
  readonly forest?: Forest;
  /** The parts of the model that threads share, by name. */
  readonly shared?: SharedParts;
  /** For two classes: the score of each class at which the decision changes. Absent: no such number is known. */
  readonly thresholds?: Thresholds;
  /** Length of the raw output, which the model computes before any link. */
  readonly rawOutputs: number;
  raw(x: Float64Array, out: Float64Array): void;
  /** Raw output -> reported output: a probability or raw score per class, or [prediction]. */
  scores(raw: Float64Array, out: Float64Array): void;
  /** Raw output -> index of the predicted class, decided as the source library decides. Regressors: 0. */
  decide(raw: Float64Array): number;
  /** Whether the raw output reaches the goal, exactly, in the model's own arithmetic. */
  achieves(raw: Float64Array, goal: Goal): boolean;
  /** The distance of the raw output inside the goal, in the model's own measure; at least 0 where `achieves` is true. */
  margin(raw: Float64Array, goal: Goal): number;
  /** Whether an input reaches the goal for every resolution of ties by rounding. Absent: the family has no ties that rounding decides. */
  isClear?(x: Float64Array, goal: Goal): boolean;
  /** The slope of `margin` at an input, if one exists. */
  gradient?(x: Float64Array, goal: Goal, out: Float64Array): void;
  /**
   * The number that decides about a goal, before any link, as an exact sum. For a class among several: its lead over the rival. Null: the
   * goal has no such number. Absent: the family has no exact sum.
   */
  scoreSum?(goal: Goal, rival: number): ScoreSum | null;
  /** The inputs that reach the goal, as a union of pieces. No pieces: it is proved that no input reaches the goal. */
  region(goal: Goal): Region;
}

export type Thresholds = readonly [first: number, second: number];

/** Of two scores whose sum is 1, and of two scores whose sum is 0. */
export const EVEN_PROBABILITIES: Thresholds = [0.5, 0.5];
export const EVEN_SCORES: Thresholds = [0, 0];

export interface FamilyContext {
  /** The number of columns after preprocessing. */
  readonly inputs: number;
  /** The features of a row and the steps behind them, for a family whose parameters name features. */
  readonly space: FeatureSpace;
  readonly preprocessing: Preprocessing;
  /** Number of classes; 0 for a regressor. */
  readonly classes: number;
  /** Names of the classes, for parameters that refer to them. */
  readonly labels: readonly string[];
  /** The shared parts of a model that was loaded before. The parameters then come without the fields that the family `shares`. */
  readonly shared?: SharedParts;
  readonly bounds: Bounds;
}

export interface Family<S extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** `either`: the document's classes decide. */
  readonly task: 'classification' | 'regression' | 'either';
  readonly schema: S;
  /** The parameters that the model's shared parts replace. */
  readonly shares?: readonly string[];
  load(parameters: z.output<S>, context: FamilyContext): Model;
}

export function defineFamily<S extends z.ZodType>(family: Family<S>): Family {
  return family as unknown as Family;
}

export function checkWidth(values: readonly unknown[], expected: number, path: string, what = 'model column'): void {
  if (values.length === expected) return;
  const message = `expected ${expected} entries, one per ${what}, got ${values.length}`;
  throw new ElsewiseError('bad-document', message, `model.parameters.${path}`);
}

/** Refuses a goal for which a family has no region, by name. */
export function refuseGoal(family: string, what: string): never {
  throw new ElsewiseError('unsupported', `${family} has no ${what}`, 'target');
}
