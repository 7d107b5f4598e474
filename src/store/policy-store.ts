/** The registry of policies. A batch carries its policy with it, so what is removed here is missed by nobody at work. */
import { defaultPolicy, loadPolicy, type Policy } from '../explain/policy.js';
import type { RedisClient } from './redis.js';
import { type Kind, type RegistryOptions, type StoredVersion, VersionedStore } from './versioned-store.js';

export interface PolicyVersion extends StoredVersion {
  /** How many features have rules of their own. */
  readonly features: number;
  readonly constraints: number;
  readonly norm: string;
}

/** A policy that knows its version, if it has one. */
export interface VersionedPolicy extends Policy {
  readonly version?: number;
}

const POLICIES: Kind<PolicyVersion, VersionedPolicy> = {
  noun: 'policy',
  check: async (document) => loadPolicy(document),
  describe: ({ document: { features, constraints, cost } }) => ({
    features: Object.keys(features).length,
    constraints: constraints.length,
    norm: cost.norm,
  }),
  load: async (document, { version }) => ({ ...loadPolicy(document), version }),
};

export class PolicyStore extends VersionedStore<PolicyVersion, VersionedPolicy> {
  constructor(redis: RedisClient, options: RegistryOptions) {
    super(redis, POLICIES, options);
  }

  /** What a producer may give: a reference, a document, or nothing, and then anything may change. */
  async accept(given: unknown): Promise<VersionedPolicy> {
    if (given === undefined) return defaultPolicy();
    return typeof given === 'string' ? this.load(given) : loadPolicy(given);
  }
}
