/** The library: load a model and a policy, prepare a plan once, explain rows synchronously. */
export { ElsewiseError, ERROR_CODES, type ErrorCode } from './documents/error.js';
export type { ModelDocument, RowValue } from './documents/model-document.js';
export type { PolicyDocument, PolicyInput, TargetDocument } from './documents/policy-document.js';
export type { CounterfactualDocument, Reason, ResultDocument } from './documents/result-document.js';
export { type Plan, type PlanOptions, prepare, type Row } from './explain/plan.js';
export { loadPolicy, type Policy } from './explain/policy.js';
export { type LoadedModel, loadModel } from './models/load.js';
