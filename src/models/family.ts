/**
 * The contract of a model family. A family is one file and one row of the table in index.ts: a schema for `parameters`, and a
 * function that makes a `Model` of the parameters. A model scores inputs (after preprocessing) bit-faithfully to its source
 * library and describes the region of a goal. A model knows nothing of costs, policies or solvers.
 */
import type { z } from 'zod';
import { ElsewiseError } from '../documents/error.js';
import type { ScoringParameters } from '../documents/scorer-document.js';
import type { Bounds } from './bounds.js';
import type { Goal, Region } from './region.js';
import type { ScoreMemory } from './score-memory.js';
import type { SharedParts } from './shared-parts.js';
import type { Forest } from './trees/tree.js';

export interface Model {
  /** Of a model that is scored elsewhere: where its raw outputs come from. */
  readonly memory?: ScoreMemory;
  /** Of such a model: its scorer, as the document describes the scorer. */
  readonly scoring?: ScoringParameters;
  /** Of such a model: whether its scores may change while its digest stays. Its answers serve no other rows. */
  readonly volatile?: boolean;
  /** Whether the model itself says what a missing input means. */
  readonly takesMissing?: boolean;
  /** Of a model made of trees. */
  readonly forest?: Forest;
  /** What threads share of the model, by name. */
  readonly shared?: SharedParts;
  /** Length of the raw output: what the model computes before any link. */
  readonly rawOutputs: number;
  raw(x: Float64Array, out: Float64Array): void;
  /** Raw output -> what is reported: a probability or raw score per class, or [prediction]. */
  scores(raw: Float64Array, out: Float64Array): void;
  /** Raw output -> index of the predicted class, decided as the source library decides. Regressors: 0. */
  decide(raw: Float64Array): number;
  /** Whether the raw output reaches the goal, exactly, by the model's own arithmetic. */
  achieves(raw: Float64Array, goal: Goal): boolean;
  /** How far the raw output is inside the goal, in a measure of the model's own: at least 0 where `achieves` says yes. */
  margin(raw: Float64Array, goal: Goal): number;
  /** The slope of `margin` at an input, where there is one. */
  gradient?(x: Float64Array, goal: Goal, out: Float64Array): void;
  /** The inputs that reach the goal, as a union of pieces. No pieces: proved that no input does. */
  region(goal: Goal): Region;
}

export interface FamilyContext {
  /** Columns that reach the model, after preprocessing. */
  readonly inputs: number;
  /** Number of classes; 0 for a regressor. */
  readonly classes: number;
  /** Names of the classes, for parameters that speak of them. */
  readonly labels: readonly string[];
  /** What a model that was loaded before shares: the parameters then come without what the family `shares`. */
  readonly shared?: SharedParts;
  readonly bounds: Bounds;
}

export interface Family<S extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** `either`: the document's classes tell. */
  readonly task: 'classification' | 'regression' | 'either';
  readonly schema: S;
  /** The parameters that the model's shared parts stand for. */
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

/** Refuses goals that a family has no region for, by name. */
export function refuseGoal(family: string, what: string): never {
  throw new ElsewiseError('unsupported', `${family} has no ${what}`, 'target');
}
