/** Rows that a policy blocks: rows in which nothing may change, and rows for which it is proved that no permitted change leads to the target. */
import { withEngines } from '../../explain/engines.js';
import { createPlan } from '../../explain/plan.js';
import { showValue } from '../../models/features.js';
import type { LoadedModel } from '../../models/load.js';
import { createDomain, fillDomain, isFixed } from '../../policy/domain.js';
import type { Policy } from '../../policy/policy.js';
import { compileRules } from '../../policy/rules.js';
import type { DataRow } from './data-rows.js';

export interface BlockedRow {
  readonly id: string;
  readonly reason: string;
}

export interface BlockedRows {
  readonly blocked: readonly BlockedRow[];
  /** The number of rows that were tried. */
  readonly tried: number;
  /** The rows of these without an answer and without a proof. */
  readonly open: number;
}

const MOST_SHOWN = 3;
const MOST_TRIED = 500;

/** The first three blocked rows. */
export async function findBlockedRows(
  model: LoadedModel,
  policy: Policy,
  rows: readonly DataRow[],
): Promise<BlockedRows> {
  const now = () => performance.now();
  const plan = createPlan(model, policy, { now });
  const canMove = movementIn(model, plan.policy);
  const blocked: BlockedRow[] = [];
  let [tried, open] = [0, 0];
  for (const { id, values } of rows.slice(0, MOST_TRIED)) {
    tried++;
    const raw = model.space.features.map((feature) => showValue(feature, values[feature.index]));
    const { status, reason } = await withEngines(() => plan.explainRecord(id, raw));
    if (status === 'infeasible') blocked.push({ id, reason: canMove(values) ? reason!.message : STANDSTILL });
    if (status === 'not-found') open++;
    if (blocked.length === MOST_SHOWN) break;
  }
  return { blocked, tried, open };
}

const STANDSTILL = 'the policy lets no feature of this row change';

function movementIn(model: LoadedModel, { document }: Policy): (values: Float64Array) => boolean {
  const { space, preprocessing } = model;
  const rules = compileRules(document, space);
  const domain = createDomain(space);
  return (values) => {
    fillDomain(domain, space, rules, values, preprocessing.imputed);
    return space.features.some((feature) => !isFixed(domain, feature));
  };
}
