/**
 * The user's target -> goals, each with its own region. A row reaches the target when it reaches one of the goals.
 *
 *   "approved"                       that class, its score `margin` past the boundary
 *   ["approved", "review"]           any of them
 *   "B"                              a band of the decision layer: this band or a better one
 *   210 with tolerance 0.1           a regressor's prediction in [209.9, 210.1]
 *   { from: 0.6, to: 1 }             a regressor's prediction, or the score of `class` (two classes: of the second)
 *
 * A margin narrows an interval at each of its ends.
 */
import { ElsewiseError, type PlacedFault } from '../documents/error.js';
import { didYouMean, listNames } from '../documents/nearest-name.js';
import { parseDocument } from '../documents/parse.js';
import { type PolicyDocument, type TargetDocument, targetSchema } from '../documents/policy-document.js';
import type { LoadedModel } from '../models/load.js';
import type { Goal } from '../models/region.js';

/** The tolerance of a number that is given without one, relative to the number. */
const DEFAULT_TOLERANCE = 1e-6;

const targetError = (message: string) => new ElsewiseError('bad-document', message, 'target');

type Classifier = Pick<LoadedModel, 'classes' | 'bands' | 'task'>;

export function parseTarget(value: unknown): TargetDocument {
  return parseDocument(targetSchema, value, 'target');
}

export function resolveTarget(target: TargetDocument, model: Classifier, margin: number, tolerance?: number): Goal[] {
  if (typeof target === 'string') return [namedGoal(target, model, margin)];
  if (Array.isArray(target)) return target.map((name) => namedGoal(name, model, margin));
  if (model.task === 'regression') return [intervalGoal(regressionInterval(target, tolerance), 0, margin)];
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

/** The goal of a class or of a band. A band has no upper end: a better band is a better answer. */
function namedGoal(name: string, model: Classifier, margin: number): Goal {
  const band = model.bands.find((one) => one.name === name);
  if (band) return intervalGoal({ from: band.from }, scoredIndex(model), margin);
  if (model.task === 'regression') throw nameError(name, model);
  return classGoal(name, model, margin);
}

/** The score that bands divide: of the second class, or the prediction. */
export const scoredIndex = ({ task }: Pick<Classifier, 'task'>): number => (task === 'regression' ? 0 : 1);

function nameError(name: string, { bands }: Classifier): ElsewiseError {
  const names = bands.map((band) => band.name);
  if (!names.length) return targetError('a regressor has no classes: give a number or { "from": ..., "to": ... }');
  const hint = didYouMean(name, names) || `; it has ${listNames(names)}`;
  return targetError(`the model has no band "${name}"${hint}`);
}

function classGoal(label: string, { classes, bands }: Classifier, margin: number): Goal {
  const index = classes.indexOf(label);
  if (index >= 0) return { kind: 'class', index, margin };
  const names = [...classes, ...bands.map(({ name }) => name)];
  const hint = didYouMean(label, names) || `; it has ${listNames(names)}`;
  throw targetError(`the model has no class${bands.length ? ' and no band' : ''} "${label}"${hint}`);
}

type NumberTarget = Exclude<TargetDocument, string | string[]>;

function regressionInterval(target: NumberTarget, tolerance?: number): { from?: number; to?: number } {
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

/** A policy names one target, a ladder of several that are answered one by one, or none. */
type Named = Pick<PolicyDocument, 'target' | 'targets'>;

export const targetsOf = ({ target, targets }: Named): readonly TargetDocument[] =>
  targets ?? (target === undefined ? [] : [target]);

export const namesTarget = (policy: Named): boolean => targetsOf(policy).length > 0;

/** The entries that a ladder of targets does not go with. */
const APART = ['target', 'levers', 'path'] as const;

export function* ladderFaults(policy: PolicyDocument, root: string): Iterable<PlacedFault> {
  const { targets } = policy;
  if (!targets) return;
  for (const entry of APART)
    if (policy[entry] !== undefined)
      yield { path: `${root}.targets`, message: `does not go with "${entry}": leave one of the two out` };
  const texts = targets.map((target) => JSON.stringify(target));
  for (const [k, text] of texts.entries())
    if (texts.indexOf(text) < k) yield { path: `${root}.targets[${k}]`, message: `${text} is listed twice` };
}

/** Whether a row has a target of its own. */
export const isGiven = (target: unknown): boolean => target !== undefined && target !== null && target !== '';
