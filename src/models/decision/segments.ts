/**
 * Cut-offs by segment. Let v be the value of a categorical or boolean feature:
 *
 *   second class    g(s) > t_v
 *
 * No answer changes the feature. A person's model is therefore the model with one threshold, and regions and proofs are those of this model.
 */
import type { DecisionDocument } from '../../documents/decision/decision-document.js';
import { ElsewiseError } from '../../documents/error.js';
import { didYouMean, listNames } from '../../documents/nearest-name.js';
import type { Model } from '../family.js';
import { type Feature, type FeatureSpace, listedNames } from '../features.js';

export interface Segments {
  readonly feature: Feature;
  /** By value of the feature. Values with the same threshold share a model. */
  readonly models: readonly Model[];
  /** The model where the value is missing. Null: the document has no threshold for such rows. */
  readonly missing: Model | null;
}

type DecisionOf = (decision: DecisionDocument) => Model;

const fault = (key: string, message: string) => new ElsewiseError('bad-document', message, `model.decision.${key}`);

/** Null: one threshold holds for all rows. `build`: the model with the layer of a document. */
export function segmentsOf(
  decision: DecisionDocument | undefined,
  space: FeatureSpace,
  build: DecisionOf,
): Segments | null {
  if (!decision) return null;
  const feature = segmentFeature(decision, space);
  if (!feature) return null;
  const thresholds = thresholdsOf(decision, feature);
  const known = new Map<number, Model>();
  const modelAt = (threshold: number): Model => {
    const model = known.get(threshold) ?? build({ ...decision, threshold });
    known.set(threshold, model);
    return model;
  };
  const { threshold } = decision;
  return { feature, models: thresholds.map(modelAt), missing: threshold === undefined ? null : modelAt(threshold) };
}

/** A document without a threshold for all rows, as the layer of one threshold reads it. */
export function withFirstThreshold(decision: DecisionDocument | undefined): DecisionDocument | undefined {
  if (!decision || decision.threshold !== undefined || decision.thresholdBy === undefined) return decision;
  return { ...decision, threshold: Object.values(decision.thresholds ?? {})[0] };
}

/** The feature that `thresholdBy` names, marked in the space: no answer changes the feature, and its value may be needed. */
export function fixSegment(space: FeatureSpace, decision: DecisionDocument | undefined): FeatureSpace {
  const feature = decision && segmentFeature(decision, space);
  if (!feature) return space;
  const features = space.features.map((one) =>
    one === feature ? { ...one, isFixed: true, isNeeded: decision.threshold === undefined } : one,
  );
  return { ...space, features, byName: new Map(features.map((one) => [one.name, one])) };
}

function segmentFeature({ thresholdBy, thresholds }: DecisionDocument, { byName }: FeatureSpace): Feature | undefined {
  if (thresholdBy === undefined) {
    if (thresholds) throw fault('thresholds', 'needs "thresholdBy", the name of a feature');
    return undefined;
  }
  const feature = byName.get(thresholdBy);
  if (!feature) throw fault('thresholdBy', `unknown feature "${thresholdBy}"${didYouMean(thresholdBy, byName.keys())}`);
  if (feature.kind !== 'choice' && feature.kind !== 'ordinal' && feature.kind !== 'boolean')
    throw fault('thresholdBy', `"${thresholdBy}" is ${feature.kind}: only categories and booleans choose a threshold`);
  if (!thresholds) throw fault('thresholds', 'is missing: give the threshold by value of the feature');
  return feature;
}

function thresholdsOf({ thresholds = {}, threshold }: DecisionDocument, feature: Feature): number[] {
  const names = listedNames(feature);
  for (const name of Object.keys(thresholds)) {
    if (names.includes(name)) continue;
    const hint = didYouMean(name, names) || `; known are ${listNames(names)}`;
    throw fault(`thresholds.${name}`, `unknown value of "${feature.name}"${hint}`);
  }
  return names.map((name) => {
    const own = Object.hasOwn(thresholds, name) ? thresholds[name] : threshold;
    if (own !== undefined) return own;
    throw fault('thresholds', `has no threshold for "${name}": list the value, or give "threshold" for all others`);
  });
}

/** The model of a value of the feature. Null: the value is missing, and the document has no threshold for such rows. */
export const modelOf = ({ models, missing }: Segments, value: number): Model | null =>
  Number.isNaN(value) ? missing : models[value];
