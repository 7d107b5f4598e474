/** Models and policies by their digests. A policy is in the registry, in the batch of a record, or kept beside the record. */
import type { AuditHead } from '../../documents/audit-document.js';
import { loadPolicy, type Policy } from '../../policy/policy.js';
import { type ModelPin, pinOf } from '../../store/batches/manifest.js';
import type { Store } from '../../store/store.js';

type PolicyPin = Pick<Policy, 'name' | 'digest'>;

export async function registeredPolicy({ policies }: Store, { name, digest }: PolicyPin): Promise<Policy | undefined> {
  const found = (await policies.versions(name)).find((version) => version.digest === digest);
  return found && policies.load(`${name}@${found.version}`);
}

export async function registeredModel(
  { models }: Store,
  { name, digest }: Pick<ModelPin, 'name' | 'digest'>,
): Promise<ModelPin | undefined> {
  const found = (await models.versions(name)).find((version) => version.digest === digest);
  return found && pinOf({ ...found, name });
}

export async function auditedPolicy(store: Store, { policy, batch, day }: AuditHead): Promise<Policy | undefined> {
  const registered = await registeredPolicy(store, policy);
  if (registered) return registered;
  const manifest = batch === undefined ? undefined : await store.batches.manifest(batch);
  if (manifest?.policy.digest === policy.digest) return { ...manifest.policy, name: policy.name };
  const kept = await store.audit.policyOf(day, policy.digest);
  if (kept === undefined) return undefined;
  const found = loadPolicy(JSON.parse(kept));
  return found.digest === policy.digest ? found : undefined;
}
