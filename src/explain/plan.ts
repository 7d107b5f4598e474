/**
 * Creates plans. A plan is all work for a model and a policy that does not depend on the row, done once (prepared-plan.ts). A model whose
 * threshold depends on a feature has a plan for each threshold (segmented-plan.ts).
 */
import type { LoadedModel } from '../models/load.js';
import { withDefaults } from '../policy/defaults.js';
import { buildGraphs } from '../policy/path.js';
import type { Policy } from '../policy/policy.js';
import { withAllFaults } from './checks/policy-fit.js';
import type { Plan, PlanOptions } from './plan-contract.js';
import { PreparedPlan } from './prepared-plan.js';
import { SegmentedPlan } from './segmented-plan.js';

export type { Plan, PlanOptions, Row } from './plan-contract.js';

const PART_BYTES = 2 ** 26;

/** A plan whose rows can be explained at once: the engines that a row may need are loaded. */
export async function prepare(model: LoadedModel, policy: Policy, options: PlanOptions = {}): Promise<Plan> {
  const plan = createPlan(model, policy, options);
  await Promise.all(plan.engines.map((engine) => engine.load()));
  return plan;
}

/** A plan for asynchronous callers: where a row needs an engine, explaining throws `EngineNeeded` (engines.ts handles this). */
export function createPlan(model: LoadedModel, policy: Policy, options: PlanOptions = {}): Plan {
  try {
    return buildPlan(model, policy, options);
  } catch (error) {
    throw withAllFaults(error, policy.document, model);
  }
}

function buildPlan(model: LoadedModel, policy: Policy, options: PlanOptions): Plan {
  const { now = () => 0, ownTime = now, partBytes = PART_BYTES } = options;
  const settled = withDefaults(policy, model);
  const graphs = options.graphs ?? buildGraphs(settled.document, model);
  const planOf = (one: LoadedModel) => new PreparedPlan(one, settled, { now, ownTime, partBytes, graphs });
  return model.segments ? new SegmentedPlan(model, settled, planOf) : planOf(model);
}
