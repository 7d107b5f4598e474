/**
 * `path` in a policy: the graph over the background that it needs (models/rows/row-graph.ts). The graph depends on the model, on k or
 * epsilon, and on the features that may never change. The graph does not depend on the cost: adjacency is a property of the data. The cost
 * gives the length of a step, which the search for a path computes on demand.
 */
import type { PlacedFault } from '../documents/error.js';
import { refuseFirst } from '../documents/faults/refusal.js';
import type { PathDocument, PolicyDocument } from '../documents/policy-document.js';
import type { LoadedModel } from '../models/load.js';
import { buildRowGraph, type GraphSpec, graphKey, type SharedRowGraph } from '../models/rows/row-graph.js';
import { underLever } from './levers.js';
import { compileRules, type FeatureRule } from './rules.js';

/** Graphs by the key of their specification. */
export type RowGraphs = ReadonlyMap<string, SharedRowGraph>;

export function graphSpecOf({ k, epsilon }: PathDocument, rules: readonly FeatureRule[]): GraphSpec {
  const fixed = rules.filter(({ never }) => never).map(({ feature }) => feature.index);
  return { k, epsilon: epsilon ?? null, fixed };
}

/** A key that is equal for policies whose paths use the same graphs over the rows of one model. */
export function graphsKey({ path, levers, features }: PolicyDocument): string {
  const fixed = Object.keys(features).filter((name) => features[name].change === 'never');
  return JSON.stringify([path?.k, path?.epsilon, Object.values(levers ?? {}), fixed.sort()]);
}

/** The graphs of all levers of a policy, or of the policy itself. Empty: the policy asks for no path. `onRow`: see buildRowGraph. */
export function buildGraphs(policy: PolicyDocument, loaded: LoadedModel, onRow?: () => void): RowGraphs {
  const graphs = new Map<string, SharedRowGraph>();
  const { path, levers } = policy;
  if (!path) return graphs;
  refuseFirst(pathFaults(policy, loaded));
  const parts = levers ? Object.keys(levers).map((lever) => underLever(policy, lever)) : [policy];
  for (const part of parts) {
    const spec = graphSpecOf(path, compileRules(part, loaded.space));
    const key = graphKey(spec);
    if (!graphs.has(key)) graphs.set(key, buildRowGraph(loaded, spec, onRow));
  }
  return graphs;
}

/** A path needs rows. */
export function* pathFaults(
  { path }: Pick<PolicyDocument, 'path'>,
  { background }: LoadedModel,
): Iterable<PlacedFault> {
  if (!path || background.samples.length) return;
  yield { path: 'policy.path', message: 'needs rows in model.background.samples; the model has none' };
}
