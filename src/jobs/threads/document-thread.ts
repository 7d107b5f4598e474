/**
 * A thread that lives for one document. A large model takes seconds to parse and to check, and the main loop of a worker or of the
 * API has others to serve meanwhile; when the thread ends, all the memory that the parsing took goes with it.
 */
import type { Policy } from '../../policy/policy.js';
import type { ModelPin } from '../../store/batches/manifest.js';
import { fewAtATime, oneAtATime } from '../../store/redis/one-at-a-time.js';
import type { AdmittedModel } from '../../store/registry/model-store.js';
import type { SharedGraphs, SharedModel } from './messages.js';
import { SolverPool } from './pool.js';
import { shareJson } from './shared-documents.js';

/** A stored document as all threads want it. */
export function packInThread(bytes: Uint8Array, { digest, version }: ModelPin): Promise<SharedModel> {
  return inOwnThread((pool) => pool.runDocument({ kind: 'pack', bytes, digest, version }));
}

/** The graphs over the background that the paths of a policy take. Each takes a core: two at a time. */
export function graphsInThread(model: SharedModel, policy: Policy): Promise<SharedGraphs> {
  const task = { kind: 'graphs', model, policy: shareJson(policy.document) } as const;
  return buildingInTurn(() => inOwnThread((pool) => pool.runDocument(task)));
}

/** Checks an untrusted document and makes it ready for the registry; one at a time, since each takes much memory. */
export function admitInThread(bytes: Uint8Array, maxDocumentMb: number): Promise<AdmittedModel> {
  return inTurn(() => inOwnThread((pool) => pool.runDocument({ kind: 'admit', bytes, maxDocumentMb })));
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
