/** A policy by its source: a given document, or a reference into the registry of policies. */
import type { Policy } from '../../policy/policy.js';
import type { PolicySource } from '../../store/schedules/schedule-document.js';
import type { Store } from '../../store/store.js';

/** Omitted: any feature may change. A reference is resolved at the time of the call. */
export function resolvePolicy(store: Store, source: PolicySource | undefined): Promise<Policy> {
  return store.policies.accept(source && ('document' in source ? source.document : source.reference));
}
