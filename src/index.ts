/** The library: load a model and a policy, prepare a plan once, explain rows synchronously; or send them to a queue. */
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
export { type Plan, type PlanOptions, prepare, type Row } from './explain/plan.js';
export { loadPolicy, type Policy } from './explain/policy.js';
export {
  type ChunkJob,
  chunkJobSchema,
  chunkReturnSchema,
  type EventJob,
  type EventJobInput,
  eventJobSchema,
  eventReturnSchema,
  QUEUES,
} from './jobs/contract.js';
export { type BatchInput, type EnqueuedBatch, type EnqueuedEvent, Producer } from './jobs/producer.js';
export { type LoadedModel, loadModel } from './models/load.js';
