/** The features of two versions, by name. */
import type { FeatureDocument } from '../../documents/model-document.js';
import { type Difference, differencesOf } from '../verify/differences.js';

export interface FeatureChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly { readonly feature: string; readonly differences: readonly Difference[] }[];
  /** The features of both versions stand in another order. */
  readonly isReordered: boolean;
}

/** Differences of one feature that are listed. */
const MOST_OF_ONE = 10;

export function featureChanges(
  before: readonly FeatureDocument[],
  after: readonly FeatureDocument[],
): FeatureChanges | undefined {
  const [a, b] = [before, after].map((features) => new Map(features.map((feature) => [feature.name, feature])));
  const added = [...b.keys()].filter((name) => !a.has(name));
  const removed = [...a.keys()].filter((name) => !b.has(name));
  const common = [...a.keys()].filter((name) => b.has(name));
  const changed = common
    .map((feature) => ({ feature, differences: differencesOf(a.get(feature), b.get(feature), MOST_OF_ONE) }))
    .filter(({ differences }) => differences.length);
  const isReordered = common.join('\n') !== [...b.keys()].filter((name) => a.has(name)).join('\n');
  return added.length + removed.length + changed.length || isReordered
    ? { added, removed, changed, isReordered }
    : undefined;
}
