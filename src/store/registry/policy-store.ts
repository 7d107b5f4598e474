/**
 * The registry of policies. A batch carries its policy: removing a policy here affects no running batch. Each event may name a policy. A
 * reference is resolved every time, because an alias may move. A digest identifies one content for ever: the document of a digest is read
 * and parsed once.
 */
import { defaultPolicy, loadPolicy, type Policy } from '../../policy/policy.js';
import type { RedisClient } from '../redis/redis.js';
import {
  type Admitted,
  admit,
  type Kind,
  type RegistryOptions,
  type StoredVersion,
  VersionedStore,
} from './versioned-store.js';

export interface PolicyVersion extends StoredVersion {
  /** The number of features with rules. */
  readonly features: number;
  readonly constraints: number;
  readonly norm: string;
}

/** A policy with its version, if it has one. */
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

export type AdmittedPolicy = Admitted<PolicyVersion>;

export function admitPolicy(document: unknown, maxDocumentMb: number): Promise<AdmittedPolicy> {
  return admit(POLICIES, document, maxDocumentMb);
}

const MAX_OPENED = 64;
/** A longer policy is opened each time. */
const MAX_OPENED_BYTES = 2 ** 20;

export class PolicyStore extends VersionedStore<PolicyVersion, VersionedPolicy> {
  /** By digest, least recently used first. */
  readonly #opened = new Map<string, Promise<VersionedPolicy>>();

  constructor(redis: RedisClient, options: RegistryOptions) {
    super(redis, POLICIES, options);
  }

  override async load(reference: string): Promise<VersionedPolicy> {
    const found = await this.resolve(reference);
    const policy = this.#opened.get(found.digest) ?? this.#openOnce(found);
    if (this.#opened.delete(found.digest)) this.#opened.set(found.digest, policy); // most recently used
    // The same content has another version number if it was removed and pushed again.
    return { ...(await policy), version: found.version };
  }

  /** Concurrent callers wait for one load. A failure is not cached. */
  #openOnce(version: PolicyVersion): Promise<VersionedPolicy> {
    const policy = this.open(version);
    if (version.bytes > MAX_OPENED_BYTES) return policy;
    this.#opened.set(version.digest, policy);
    if (this.#opened.size > MAX_OPENED) this.#opened.delete(this.#opened.keys().next().value!);
    policy.catch(() => this.#opened.delete(version.digest));
    return policy;
  }

  /** The input of a producer: a reference, a document, or undefined, with which any feature may change. */
  async accept(given: unknown): Promise<VersionedPolicy> {
    if (given === undefined) return defaultPolicy();
    return typeof given === 'string' ? this.load(given) : loadPolicy(given);
  }
}
