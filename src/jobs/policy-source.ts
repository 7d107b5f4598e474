/** A policy by where it comes from: a document that was given, or a reference into the registry of policies. */
import { ElsewiseError } from '../documents/error.js';
import { defaultPolicy, loadPolicy, type Policy } from '../explain/policy.js';
import type { PolicySource } from '../store/schedule-document.js';
import type { Store } from '../store/store.js';

/** What a registry of policies has to offer. */
interface Policies {
  load(reference: string): Promise<Policy>;
}

/** Left out: anything may change. */
export async function resolvePolicy(store: Store, source: PolicySource | undefined): Promise<Policy> {
  if (source === undefined) return defaultPolicy();
  if ('document' in source) return loadPolicy(source.document);
  const { policies } = store as Store & { policies?: Policies };
  if (policies) return policies.load(source.reference);
  throw new ElsewiseError(
    'not-known',
    `no policy "${source.reference}": no such file, and there is no registry of policies`,
  );
}
