/** The versions of the registry, and the choice with which the forms of the page begin. */
import { type ListedModel, type ListedPolicy, listModels, listPolicies, referenceOf } from '../../registry.js';
import { fittingPolicy } from '../person/fitting-policy.js';

/** The versions, and the pair with which the forms begin. Empty: there is none. */
export interface VersionChoice {
  readonly models: readonly ListedModel[];
  readonly policies: readonly ListedPolicy[];
  readonly first: { readonly model: string; readonly policy: string };
}

export async function readVersions(signal: AbortSignal): Promise<VersionChoice> {
  const [models, policies] = await Promise.all([listModels(signal), listPolicies(signal)]);
  const model = models[0] ? referenceOf(models[0]) : '';
  return { models, policies, first: { model, policy: await fittingPolicy(model, policies, signal) } };
}
