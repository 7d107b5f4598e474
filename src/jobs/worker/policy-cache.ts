/**
 * Policies that came with events, parsed once. Checking and digesting a policy takes longer than checking and digesting all
 * the rest of an event (for the credit example 80 us against 20), and most events bring one of a few policies. They are
 * known by their text, since an object out of JSON has no identity.
 */
import { defaultPolicy, loadPolicy, type Policy } from '../../policy/policy.js';

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
