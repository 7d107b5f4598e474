/**
 * A thread that lives for one document. Parsing and checking a large model takes seconds, and the main loop of a worker or of the API has
 * other clients meanwhile. When the thread ends, all memory of the parsing is freed with it.
 */
import type { Policy } from '../../policy/policy.js';
import type { ModelPin } from '../../store/batches/manifest.js';
import { fewAtATime, oneAtATime } from '../../store/redis/one-at-a-time.js';
import type { AdmittedModel } from '../../store/registry/model-store.js';
import type { AdmittedPolicy } from '../../store/registry/policy-store.js';
import type { SharedGraphs, SharedModel } from './messages.js';
import { SolverPool } from './pool.js';
import { shareJson } from './shared-documents.js';

/** A stored document in the form for all threads. */
export function packInThread(bytes: Uint8Array, { digest, version }: ModelPin): Promise<SharedModel> {
  return inOwnThread((pool) => pool.runDocument({ kind: 'pack', bytes, digest, version }));
}

/** The graphs over the background for the paths of a policy. Each occupies a core, so two run at a time. */
export function graphsInThread(model: SharedModel, policy: Policy): Promise<SharedGraphs> {
  const task = { kind: 'graphs', model, policy: shareJson(policy.document) } as const;
  return buildingInTurn(() => inOwnThread((pool) => pool.runDocument(task)));
}

/** Checks an untrusted document and prepares it for the registry. One runs at a time, since each needs much memory. */
export function admitInThread<K extends keyof AdmittedDocuments>(
  of: K,
  bytes: Uint8Array,
  maxDocumentMb: number,
): Promise<AdmittedDocuments[K]> {
  const task = { kind: 'admit', of, bytes, maxDocumentMb } as const;
  return inTurn(() => inOwnThread(async (pool) => (await pool.runDocument(task)) as AdmittedDocuments[K]));
}

export interface AdmittedDocuments {
  readonly model: AdmittedModel;
  readonly policy: AdmittedPolicy;
}

const inTurn = oneAtATime();
const buildingInTurn = fewAtATime(2);

async function inOwnThread<T>(use: (pool: SolverPool) => Promise<T>): Promise<T> {
  const pool = new SolverPool({ threads: 1 });
  try {
    return await use(pool);
  } finally {
    await pool.close();
  }
}
