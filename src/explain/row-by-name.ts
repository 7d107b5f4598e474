/** Rows by name, for plans that read rows in the order of the model's features. */
import type { ResultDocument } from '../documents/result-document.js';
import { recordOf } from '../models/read-row.js';
import { readId, shapeFault } from '../models/rows/row-shape.js';
import type { Plan, Row, RowSteps } from './plan-contract.js';

export function explainRow(plan: Plan, row: Row): ResultDocument {
  const id = readId(row);
  const fault = shapeFault(row);
  return fault ? plan.invalid(id, [fault]) : plan.explainRecord(id, recordOf(plan.model, row.features), row.target);
}

export function* explainRowSteps(plan: Plan, row: Row): RowSteps {
  const id = readId(row);
  const fault = shapeFault(row);
  if (fault) return plan.invalid(id, [fault]);
  return yield* plan.explainRecordSteps(id, recordOf(plan.model, row.features), row.target);
}
