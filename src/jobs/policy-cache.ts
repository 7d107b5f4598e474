/**
 * Policies that came with events, parsed once. Checking and digesting a policy takes longer than everything else that the
 * main loop does for an event, and most events bring one of a few. Known by their text, since objects have no identity.
 */
import { defaultPolicy, loadPolicy, type Policy } from '../explain/policy.js';

const MAX_POLICIES = 64;
/** A longer one is parsed each time: as a key it would cost more memory than it saves time. */
const MAX_TEXT = 64_000;

export class PolicyCache {
  readonly #default = defaultPolicy();
  readonly #policies = new Map<string, Policy>();

  /** Undefined: anything may change. */
  get(document: unknown): Policy {
    if (document === undefined) return this.#default;
    const text = JSON.stringify(document);
    const policy = this.#policies.get(text) ?? loadPolicy(document);
    if (text.length <= MAX_TEXT) this.#keep(text, policy);
    return policy;
  }

  #keep(text: string, policy: Policy): void {
    this.#policies.delete(text);
    this.#policies.set(text, policy);
    if (this.#policies.size > MAX_POLICIES) this.#policies.delete(this.#policies.keys().next().value!);
  }
}
