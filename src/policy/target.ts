/**
 * The user's target -> goals, each with its own region. A row reaches the target when it reaches one of the goals.
 *
 *   "approved"                       that class, its score `margin` past the boundary
 *   ["approved", "review"]           any of them
 *   210 with tolerance 0.1           a regressor's prediction in [209.9, 210.1]
 *   { from: 0.6, to: 1 }             a regressor's prediction, or the score of `class` (two classes: of the second)
 *
 * A margin narrows an interval at each of its ends.
 */
import { ElsewiseError } from '../documents/error.js';
import { didYouMean, listNames } from '../documents/nearest-name.js';
import { parseDocument } from '../documents/parse.js';
import { type TargetDocument, targetSchema } from '../documents/policy-document.js';
import type { LoadedModel } from '../models/load.js';
import type { Goal } from '../models/region.js';

/** The tolerance of a number that is given without one, relative to the number. */
const DEFAULT_TOLERANCE = 1e-6;

const targetError = (message: string) => new ElsewiseError('bad-document', message, 'target');

type Classifier = Pick<LoadedModel, 'classes' | 'task'>;

export function parseTarget(value: unknown): TargetDocument {
  return parseDocument(targetSchema, value, 'target');
}

export function resolveTarget(target: TargetDocument, model: Classifier, margin: number, tolerance?: number): Goal[] {
  if (model.task === 'regression') return [intervalGoal(regressionInterval(target, tolerance), 0, margin)];
  if (typeof target === 'string') return [classGoal(target, model, margin)];
  if (Array.isArray(target)) return target.map((label) => classGoal(label, model, margin));
  if (typeof target === 'number' || 'value' in target) {
    throw targetError(
      `a number is for regressors; this model has the classes ${listNames(model.classes)}${asText(target, model)}`,
    );
  }
  return [intervalGoal(target, intervalClass(target.class, model), margin)];
}

/** Classes are texts, also where their names are numbers. */
const asText = (target: TargetDocument, { classes }: Classifier): string =>
  classes.includes(String(target)) ? `: write "${target}", with quotes` : '';

function classGoal(label: string, model: Classifier, margin: number): Goal {
  const index = model.classes.indexOf(label);
  if (index >= 0) return { kind: 'class', index, margin };
  const hint = didYouMean(label, model.classes) || `; it has ${listNames(model.classes)}`;
  throw targetError(`the model has no class "${label}"${hint}`);
}

function regressionInterval(target: TargetDocument, tolerance?: number): { from?: number; to?: number } {
  if (typeof target === 'string' || Array.isArray(target)) {
    throw targetError('a regressor has no classes: give a number or { "from": ..., "to": ... }');
  }
  if (typeof target === 'number') return around(target, tolerance ?? DEFAULT_TOLERANCE * Math.max(1, Math.abs(target)));
  if ('value' in target) return around(target.value, target.tolerance);
  if (target.class !== undefined) throw targetError('a regressor has no classes: leave "class" out');
  return target;
}

const around = (value: number, tolerance: number) => ({ from: value - tolerance, to: value + tolerance });

function intervalClass(label: string | undefined, model: Classifier): number {
  if (label !== undefined) return (classGoal(label, model, 0) as Goal & { kind: 'class' }).index;
  if (model.classes.length === 2) return 1;
  throw targetError('an interval needs "class": the model has more than two');
}

function intervalGoal(interval: { from?: number; to?: number }, index: number, margin: number): Goal {
  const from = (interval.from ?? -Infinity) + margin;
  const to = (interval.to ?? Infinity) - margin;
  if (from > to) throw targetError(`the interval is narrower than twice the margin ${margin}`);
  return { kind: 'interval', index, from, to };
}

/** The score that a result reports for a target: of the target's class, of the best listed class, or the prediction. */
export function reportedScore(goals: readonly Goal[], scores: Float64Array): number {
  let best = -Infinity;
  for (const goal of goals) best = Math.max(best, scores[goal.index]);
  return best;
}
