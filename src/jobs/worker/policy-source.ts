/** A policy by where it comes from: a document that was given, or a reference into the registry of policies. */
import type { Policy } from '../../policy/policy.js';
import type { PolicySource } from '../../store/schedules/schedule-document.js';
import type { Store } from '../../store/store.js';

/** Left out: anything may change. A reference is followed when this is called. */
export function resolvePolicy(store: Store, source: PolicySource | undefined): Promise<Policy> {
  return store.policies.accept(source && ('document' in source ? source.document : source.reference));
}
