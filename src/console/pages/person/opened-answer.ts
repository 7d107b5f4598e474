/** An answer that was asked for earlier, with its own model and policy. The registry may lack them. */
import type { ResultDocument } from '../../../documents/result-document.js';
import type { ListedModel, ListedPolicy, ListedVersion } from '../../registry.js';
import { request } from '../../requests.js';

/** `model` and `policy` are those of the answer; undefined: the registry has none with this digest. */
export interface OpenedAnswer {
  readonly result: ResultDocument;
  readonly model: ListedModel | undefined;
  readonly policy: ListedPolicy | undefined;
}

export interface Registry {
  readonly models: readonly ListedModel[];
  readonly policies: readonly ListedPolicy[];
}

export async function openAnswer(id: string, { models, policies }: Registry): Promise<OpenedAnswer> {
  const result = await request<ResultDocument>('GET', `/v1/explanations/${encodeURIComponent(id)}`);
  return { result, model: versionOf(models, result.model), policy: versionOf(policies, result.policy) };
}

interface Named {
  readonly name: string;
  readonly version?: number | null;
  readonly digest: string;
}

/** The version that the answer names, or another version with the same content. */
function versionOf<V extends ListedVersion>(versions: readonly V[], { name, version, digest }: Named): V | undefined {
  const same = versions.filter((one) => one.digest === digest);
  const ofName = same.filter((one) => one.name === name);
  return ofName.find((one) => one.version === version) ?? ofName[0] ?? same[0];
}

const NO_MODEL =
  'The registry has no model with the digest of this answer. Labels, distributions and new scores are those of the chosen model.';
const NO_POLICY =
  'The registry has no policy with the digest of this answer. Rules are told without their numbers. New plans use the chosen policy.';

/** What a reader has to know about an answer whose model or policy is not in the registry. */
export function notesOf({ model, policy }: OpenedAnswer): string[] {
  return [...(model ? [] : [NO_MODEL]), ...(policy ? [] : [NO_POLICY])];
}
