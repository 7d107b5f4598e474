/** A policy for a model: with another policy the first requests of a page would be refused. */
import { type ListedPolicy, readPolicy, referenceOf } from '../../registry.js';
import { readPopulation } from './population.js';

/** So many policies are looked at. */
const MOST_POLICIES = 20;

/** The first policy whose features are all features of the model. Empty: none of the first ones is. */
export async function fittingPolicy(
  model: string,
  policies: readonly ListedPolicy[],
  signal?: AbortSignal,
): Promise<string> {
  if (!model) return '';
  const { features } = await readPopulation(model, 0, signal);
  const known = new Set(features.map(({ name }) => name));
  for (const reference of policies.slice(0, MOST_POLICIES).map(referenceOf)) {
    const policy = await readPolicy(reference, signal);
    if (Object.keys(policy.features ?? {}).every((name) => known.has(name))) return reference;
  }
  return '';
}
