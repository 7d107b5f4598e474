/**
 * Features that the policy couples: features of one constraint, or of constraints that share a feature, are one group. The combinations of a
 * group that keep its constraints are the options of one class of the knapsack.
 *
 * A group has a place for features whose values are listed: steps, decimals, ranks and categories.
 */
import type { LinearRow } from '../../models/region.js';
import type { Feature, FeatureSpace } from '../../models/features.js';
import type { FeatureRule } from '../../policy/rules.js';
import type { Problem } from '../../problems/problem.js';

/** At least one of the rows holds. */
type Alternatives = readonly LinearRow[];

export interface CoupledGroup {
  readonly features: readonly Feature[];
  /** By feature of the group: the constraints whose features are all known with this one. */
  readonly known: readonly (readonly Alternatives[])[];
}

export interface Coupling {
  readonly groups: readonly CoupledGroup[];
  /** Constraints without a feature that may change. */
  readonly constant: readonly Alternatives[];
}

export function couplingOf({ links, clauses, rules, space }: Problem): Coupling {
  const constraints = [...links.map((row): Alternatives => [row]), ...clauses.map(({ rows }) => rows)];
  const read = constraints.map((rows) => featuresOf(rows, rules, space));
  const owner = space.features.map((_, f) => f);
  const rootOf = (f: number): number => (owner[f] === f ? f : rootOf(owner[f]));
  for (const features of read) for (const f of features) owner[rootOf(f)] = rootOf(features[0]);
  const roots = [...new Set(read.flatMap((features) => features.slice(0, 1).map(rootOf)))];
  const groups = roots.map((root): CoupledGroup => {
    const features = space.features.filter(({ index }) => read.flat().includes(index) && rootOf(index) === root);
    const lastOf = (k: number) => features.findLastIndex(({ index }) => read[k].includes(index));
    return { features, known: features.map((_, at) => constraints.filter((__, k) => lastOf(k) === at)) };
  });
  return { groups, constant: constraints.filter((_, k) => !read[k].length) };
}

/** The features of rows that may change. */
function featuresOf(rows: Alternatives, rules: readonly FeatureRule[], { owner }: FeatureSpace): number[] {
  const features = rows.flatMap(({ a }) => [...a.keys()].filter((c) => a[c] !== 0).map((c) => owner[c]));
  return [...new Set(features)].filter((f) => !rules[f].never);
}

/** Whether the values of a feature are listed. */
export const hasSteps = ({ feature, step }: FeatureRule): boolean =>
  feature.kind === 'choice' || step > 0 || feature.decimals >= 0;

/** Whether all coupled features have listed values. */
export const isCoupledInSteps = (problem: Problem): boolean =>
  couplingOf(problem).groups.every(({ features }) => features.every(({ index }) => hasSteps(problem.rules[index])));
