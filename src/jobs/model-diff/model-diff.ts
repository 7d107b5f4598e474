/**
 * The changes between two versions of a model, as facts. Weights are compared in the units of the rows, behind any scaling: a new scaler alone
 * changes no weight. Absent keys: nothing of this kind changed.
 */
import type { ModelDocument } from '../../documents/model-document.js';
import { thresholdsOf } from '../../models/decision/common-thresholds.js';
import type { LoadedModel } from '../../models/load.js';
import { type Difference, differencesOf } from '../verify/differences.js';
import { type FeatureChanges, featureChanges } from './feature-changes.js';
import { type TreeFacts, treeFacts, type WeightChange, weightChanges } from './parameter-changes.js';

export interface Versions<T> {
  readonly before: T;
  readonly after: T;
}

export interface ModelDiff {
  readonly schema: 'elsewise.model-diff/v1';
  readonly models: Versions<{ readonly name: string; readonly version: number | null; readonly digest: string }>;
  /** The digests are equal. */
  readonly isSame: boolean;
  readonly family?: Versions<string>;
  readonly features?: FeatureChanges;
  readonly classes?: Versions<readonly string[]>;
  /** The score from which on the second of two classes is predicted. */
  readonly threshold?: Versions<number | null>;
  /** The first differences of calibration, thresholds by a feature, and bands. */
  readonly decision?: readonly Difference[];
  readonly preprocessing?: Versions<readonly string[]> & { readonly changed: readonly Difference[] };
  /** The weight of each column in the score of the second class, the largest change first. */
  readonly weights?: readonly WeightChange[];
  readonly trees?: Versions<TreeFacts | null>;
  readonly background?: Versions<number> & { readonly changed: readonly Difference[] };
  readonly probes?: Versions<number>;
  /** The first differences of the parameters that no other key tells. */
  readonly parameters?: readonly Difference[];
}

/** Differences of one kind that are listed. */
export const MOST_LISTED = 20;

export function diffModels(before: LoadedModel, after: LoadedModel): ModelDiff {
  const [a, b] = [before.document, after.document];
  const tag = ({ name, version, digest }: LoadedModel) => ({ name, version, digest });
  const weights = weightChanges(before, after);
  const trees = differing(treeFacts(before), treeFacts(after));
  return {
    schema: 'elsewise.model-diff/v1',
    models: { before: tag(before), after: tag(after) },
    isSame: before.digest === after.digest,
    ...named('family', differing(a.family, b.family)),
    ...named('features', featureChanges(a.features, b.features)),
    ...named('classes', differing(a.classes ?? [], b.classes ?? [])),
    ...named('threshold', differing(thresholdOf(before), thresholdOf(after))),
    ...named('decision', decisionChanges(a, b)),
    ...named('preprocessing', preprocessingChanges(a, b)),
    ...named('weights', weights?.length ? weights.slice(0, MOST_LISTED) : undefined),
    ...named('trees', trees),
    ...named('background', backgroundChanges(a, b)),
    ...named('probes', differing(a.probes?.rows.length ?? 0, b.probes?.rows.length ?? 0)),
    ...named('parameters', weights ? undefined : parameterChanges(a, b)),
  };
}

const named = <K extends string, T>(key: K, value: T | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { [name in K]?: T };

const differing = <T>(before: T, after: T): Versions<T> | undefined =>
  JSON.stringify(before) === JSON.stringify(after) ? undefined : { before, after };

const thresholdOf = (loaded: LoadedModel): number | null => thresholdsOf(loaded)?.[1] ?? null;

function decisionChanges(before: ModelDocument, after: ModelDocument): readonly Difference[] | undefined {
  const found = differencesOf(before.decision ?? {}, after.decision ?? {}, MOST_LISTED);
  return found.length ? found : undefined;
}

function preprocessingChanges(before: ModelDocument, after: ModelDocument): ModelDiff['preprocessing'] {
  const [a, b] = [before.preprocessing ?? [], after.preprocessing ?? []];
  const changed = differencesOf(a, b, MOST_LISTED);
  if (!changed.length) return undefined;
  return { before: a.map(({ type }) => type), after: b.map(({ type }) => type), changed };
}

/** Rows are counted and not compared: a new sample of the same people has other rows. */
function backgroundChanges(before: ModelDocument, after: ModelDocument): ModelDiff['background'] {
  const { samples: rowsBefore = [], labels: _, ...a } = before.background ?? {};
  const { samples: rowsAfter = [], labels: __, ...b } = after.background ?? {};
  const changed = differencesOf(a, b, MOST_LISTED);
  if (!changed.length && rowsBefore.length === rowsAfter.length) return undefined;
  return { before: rowsBefore.length, after: rowsAfter.length, changed };
}

function parameterChanges(before: ModelDocument, after: ModelDocument): readonly Difference[] | undefined {
  if (before.family !== after.family) return undefined;
  const found = differencesOf(before.parameters, after.parameters, MOST_LISTED);
  return found.length ? found : undefined;
}
