/** The library: load a model and a policy, prepare a plan once, explain rows synchronously, or send rows to a queue. */
import { type Plan, type PlanOptions, prepare as preparePlan } from './explain/plan.js';
import type { LoadedModel } from './models/load.js';
import type { Policy } from './policy/policy.js';

export { ElsewiseError, ERROR_CODES, type ErrorCode } from './documents/error.js';
export type { ModelDocument, RowValue } from './documents/model-document.js';
export {
  type PolicyDocument,
  type PolicyInput,
  policySchema,
  type TargetDocument,
} from './documents/policy-document.js';
export {
  type CounterfactualDocument,
  type Reason,
  type ResultDocument,
  resultSchema,
} from './documents/result-document.js';
export type { Plan, PlanOptions, Row } from './explain/plan.js';
export type { BatchPart } from './jobs/batches/batch.js';
export {
  type ChunkJob,
  chunkJobSchema,
  chunkReturnSchema,
  type EventJob,
  type EventJobInput,
  eventJobSchema,
  eventReturnSchema,
  QUEUES,
  type Request,
  requestSchema,
} from './jobs/contract.js';
export { type BatchInput, type EnqueuedBatch, type EnqueuedEvent, Producer } from './jobs/producer.js';
export { explainRemotely, type RemoteLimits } from './jobs/scoring/explain-remotely.js';
export { type LoadedModel, loadModel } from './models/load.js';
export { loadPolicy, type Policy } from './policy/policy.js';
export { openScorer } from './scoring/open-scorer.js';
export type { PointScore, PointScorer } from './scoring/point-scorer.js';
export { checkScorer } from './scoring/probes.js';

/**
 * Does all work that does not depend on the row, once. The pure layers have no clock, so this function passes one. Explaining is
 * synchronous, so the engines that a row may need are loaded here.
 */
export function prepare(model: LoadedModel, policy: Policy, options: PlanOptions = {}): Promise<Plan> {
  return preparePlan(model, policy, { now: () => performance.now(), ...options });
}
