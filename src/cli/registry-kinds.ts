/** The differences between models and policies in the registry commands. */
import type { ModelVersion } from '../store/registry/model-store.js';
import type { PolicyVersion } from '../store/registry/policy-store.js';
import type { Content, StoredVersion, VersionedStore } from '../store/registry/versioned-store.js';
import type { Store } from '../store/store.js';

export interface RegistryKind<V extends StoredVersion = StoredVersion> {
  /** The group of commands: `models`. */
  readonly group: string;
  readonly noun: string;
  /** Names for the examples. */
  readonly sample: string;
  store(store: Store): VersionedStore<V, Content>;
  /** Columns of `list`, between the name and the date. */
  readonly columns: readonly { readonly title: string; show(version: V): string }[];
  /** Further lines of `show`, which do not fit into `list`. */
  readonly details: readonly { readonly title: string; show(version: V): string }[];
}

const modelKind: RegistryKind<ModelVersion> = {
  group: 'models',
  noun: 'model',
  sample: 'credit',
  store: ({ models }) => models,
  columns: [
    { title: 'family', show: ({ family }) => family },
    { title: 'features', show: ({ features }) => String(features) },
  ],
  details: [{ title: 'classes', show: ({ classes }) => classes.join(', ') || 'none: a regressor' }],
};

const policyKind: RegistryKind<PolicyVersion> = {
  group: 'policies',
  noun: 'policy',
  sample: 'retail',
  store: ({ policies }) => policies,
  columns: [
    { title: 'norm', show: ({ norm }) => norm },
    { title: 'rules', show: ({ features }) => String(features) },
    { title: 'constraints', show: ({ constraints }) => String(constraints) },
  ],
  details: [],
};

/** The commands treat both kinds alike. */
export const REGISTRY_KINDS = { models: modelKind, policies: policyKind } as unknown as {
  readonly models: RegistryKind;
  readonly policies: RegistryKind;
};
