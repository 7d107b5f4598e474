/** Model and policy in memory that all threads see: a megabyte of model is sent once, not once per chunk. */
import { createHash } from 'node:crypto';
import type { Policy } from '../explain/policy.js';
import type { LoadedModel } from '../models/load.js';
import type { ChunkTask, PlanDocuments } from './messages.js';

/** The part of a task that is the same for all chunks of a run. */
export type PlanReference = Pick<ChunkTask, 'planKey' | 'documents'>;

/** Without a policy it can only serve `predict`. */
export function referToPlan(model: LoadedModel, policy?: Policy): PlanReference {
  return {
    planKey: [model.digest, model.version ?? '', policy?.digest ?? ''].join(' '),
    documents: shareDocuments({ model: model.document, policy: policy?.document, version: model.version }),
  };
}

export function shareDocuments(documents: PlanDocuments): SharedArrayBuffer {
  const bytes = Buffer.from(JSON.stringify(documents));
  const shared = new SharedArrayBuffer(bytes.length);
  bytes.copy(new Uint8Array(shared));
  return shared;
}

export function readSharedDocuments(shared: SharedArrayBuffer): PlanDocuments {
  return JSON.parse(Buffer.from(shared).toString('utf8')) as PlanDocuments;
}

/** A short name for "this model under this policy", where a line has no room for both digests. */
export function planDigest(modelDigest: string, policyDigest: string): string {
  return createHash('sha256').update(`${modelDigest} ${policyDigest}`).digest('hex').slice(0, 16);
}

/** A short name for all that a plan is, its model's version included. */
export function planTag({ planKey }: Pick<PlanReference, 'planKey'>): string {
  return createHash('sha256').update(planKey).digest('hex').slice(0, 24);
}
