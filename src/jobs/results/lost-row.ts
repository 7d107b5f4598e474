/** The result of a row that could not be worked on: nothing was found, and the reason says why. */
import type { ResultDocument } from '../../documents/result-document.js';
import type { Plan } from '../../explain/plan.js';
import type { RowLoss } from '../threads/messages.js';

export function lostRow(plan: Pick<Plan, 'invalid'>, id: string, { code, message }: RowLoss): ResultDocument {
  return { ...plan.invalid(id, '', ''), status: 'not-found', reason: { code, message }, degraded: true };
}
