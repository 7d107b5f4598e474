/** The registry of models and policies, as the API lists them. */
import type { ModelDocument } from '../documents/model-document.js';
import type { PolicyInput } from '../documents/policy-document.js';
import { request } from './requests.js';

export interface ListedVersion {
  readonly name: string;
  readonly version: number;
  readonly digest: string;
  readonly pushed: string;
  readonly bytes: number;
  readonly pushedBy?: string;
  readonly reason?: string;
}

export interface ListedModel extends ListedVersion {
  readonly family: string;
  readonly features: number;
  readonly classes: readonly string[];
}

export interface ListedPolicy extends ListedVersion {
  readonly features: number;
  readonly constraints: number;
  readonly norm: string;
}

export const referenceOf = ({ name, version }: ListedVersion): string => `${name}@${version}`;

/** The newest version first, by name. */
const inOrder = <V extends ListedVersion>(versions: readonly V[]): V[] =>
  [...versions].sort((one, other) => one.name.localeCompare(other.name) || other.version - one.version);

export async function listModels(signal?: AbortSignal): Promise<ListedModel[]> {
  return inOrder((await request<{ models: ListedModel[] }>('GET', '/v1/models', { signal })).models);
}

export async function listPolicies(signal?: AbortSignal): Promise<ListedPolicy[]> {
  return inOrder((await request<{ policies: ListedPolicy[] }>('GET', '/v1/policies', { signal })).policies);
}

/** The aliases by `name@version`. */
export async function listAliases(
  group: 'models' | 'policies',
  versions: readonly ListedVersion[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const names = [...new Set(versions.map(({ name }) => name))];
  const found = new Map<string, string[]>();
  const ask = async (name: string) => {
    const path = `/v1/${group}/${encodeURIComponent(name)}/aliases`;
    const { aliases } = await request<{ aliases: Record<string, number> }>('GET', path, { signal });
    for (const [alias, version] of Object.entries(aliases)) {
      const reference = `${name}@${version}`;
      found.set(reference, [...(found.get(reference) ?? []), alias]);
    }
  };
  await Promise.all(names.map(ask));
  return found;
}

/** `reference`: `name@version`. */
export function readModel(reference: string, signal?: AbortSignal): Promise<ModelDocument> {
  return request('GET', addressOf('models', reference), { signal });
}

export function readPolicy(reference: string, signal?: AbortSignal): Promise<PolicyInput> {
  return request('GET', addressOf('policies', reference), { signal });
}

const addressOf = (group: string, reference: string): string => {
  const [name, version = 'latest'] = reference.split('@');
  return `/v1/${group}/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}/document`;
};
