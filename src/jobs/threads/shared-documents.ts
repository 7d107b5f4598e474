/** Model and policy in memory that all threads see: sent once, not once per chunk, with one copy of a model's arrays for all. */
import { createHash } from 'node:crypto';
import { config } from '../../config.js';
import { ofRequest } from '../../documents/nesting.js';
import { isVolatile } from '../../documents/scorer-document.js';
import { parseUntrusted } from '../../documents/untrusted-json.js';
import { checkPolicy } from '../../explain/checks/policy-faults.js';
import { type LoadedModel, loadModel } from '../../models/load.js';
import { type PackedModel, packModel, unpackModel } from '../../models/packed-model.js';
import { graphBytes } from '../../models/rows/row-graph.js';
import { partBytes } from '../../models/shared-parts.js';
import { partsOf } from '../../models/trees/tree.js';
import { buildGraphs } from '../../policy/path.js';
import { loadPolicy, type Policy } from '../../policy/policy.js';
import { scoredModel } from '../../scoring/point-scorer.js';
import { type AdmittedModel, admitModel } from '../../store/registry/model-store.js';
import { type AdmittedPolicy, admitPolicy } from '../../store/registry/policy-store.js';
import {
  type AdmitTask,
  BEAT,
  type ChunkTask,
  type GraphTask,
  type SharedGraphs,
  type SharedJson,
  type SharedModel,
  type StoredDocument,
  type ThreadTask,
} from './messages.js';

/** The part of a task that is the same for all chunks of a run. */
export type PlanReference = Pick<ChunkTask, 'planKey' | 'model' | 'policy' | 'graphs'>;

/** Without a policy the plan can only serve `predict`. */
export function referToPlan(model: LoadedModel, policy?: Policy): PlanReference {
  return {
    planKey: planKey(model, policy?.digest),
    model: shareModel(model),
    policy: policy && shareJson(policy.document),
  };
}

export function planKey(model: Pick<LoadedModel, 'digest' | 'version'>, policyDigest = ''): string {
  return [model.digest, model.version ?? '', policyDigest].join(' ');
}

export function shareModel(model: LoadedModel): SharedModel {
  const { parts, ...rest } = packModel(model);
  return { rest: shareJson(rest), parts, scored: scoredModel(model) };
}

/** The graphs for a policy that asks for paths. */
export function graphsOf({ model, policy, progress }: ThreadTask<GraphTask>): SharedGraphs {
  return [...buildGraphs(loadPolicy(readSharedJson(policy)).document, readSharedModel(model), beatOf(progress))];
}

/** The work on a graph is counted and bounded. The clock only ends a thread without progress, because a busy machine takes longer. */
export const beatOf = (progress: Int32Array) => (): void => void Atomics.add(progress, BEAT, 1);

export function packStored(stored: StoredDocument): SharedModel {
  return shareModel(loadStored(stored));
}

/** The reader of the document has checked its digest. */
export function loadStored({ bytes, digest, version }: StoredDocument): LoadedModel {
  const document: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
  return loadModel(document, { digest, version, bounds: config.bounds });
}

/** A document from outside is untrusted. */
export async function admitSent({ of, bytes, maxDocumentMb }: AdmitTask): Promise<AdmittedModel | AdmittedPolicy> {
  const document = parseUntrusted(bytes, of);
  try {
    if (of === 'model') return await admitModel(document, maxDocumentMb);
    checkPolicy(document);
    return await admitPolicy(document, maxDocumentMb);
  } catch (error) {
    throw ofRequest(error);
  }
}

export function readSharedModel({ rest, parts }: Pick<SharedModel, 'rest' | 'parts'>): LoadedModel {
  return unpackModel({ ...(readSharedJson(rest) as Omit<PackedModel, 'parts'>), parts });
}

export function shareJson(value: unknown): SharedJson {
  const bytes = Buffer.from(JSON.stringify(value));
  const shared = new SharedArrayBuffer(bytes.length);
  bytes.copy(new Uint8Array(shared));
  return shared;
}

export function readSharedJson(shared: SharedJson): unknown {
  return JSON.parse(Buffer.from(shared).toString('utf8'));
}

/** The memory of model and policy, counted once for all threads. */
export function sharedBytes({ model, policy, graphs = [] }: Omit<PlanReference, 'planKey'>): number {
  return model.rest.byteLength + (policy?.byteLength ?? 0) + bytesOfParts(model) + bytesOfGraphs(graphs);
}

export const bytesOfGraphs = (graphs: SharedGraphs): number =>
  graphs.reduce((sum, [, graph]) => sum + graphBytes(graph), 0);

function bytesOfParts({ parts: { model, background } }: SharedModel): number {
  const { samples, isolationForest } = background;
  return partBytes(model) + samples.byteLength + partBytes(isolationForest && partsOf(isolationForest.forest));
}

/** Whether equal rows may get other answers later: the scorer may change behind the same documents. */
export function isVolatilePlan({ model: { scored } }: Pick<PlanReference, 'model'>): boolean {
  return scored !== null && isVolatile(scored.scoring.scorer);
}

/** A short name of a model and policy, for lines without room for both digests. */
export function planDigest(modelDigest: string, policyDigest: string): string {
  return createHash('sha256').update(`${modelDigest} ${policyDigest}`).digest('hex').slice(0, 16);
}

/** A short name of a whole plan, including the version of its model. */
export function planTag({ planKey }: Pick<PlanReference, 'planKey'>): string {
  return createHash('sha256').update(planKey).digest('hex').slice(0, 24);
}
