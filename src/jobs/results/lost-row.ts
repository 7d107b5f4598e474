/** The result of a row that could not be processed: nothing was found, and the reason states the cause. */
import type { ResultDocument } from '../../documents/result-document.js';
import type { Plan } from '../../explain/plan.js';
import type { RowLoss } from '../threads/messages.js';

export function lostRow(plan: Pick<Plan, 'invalid'>, id: string, { code, message }: RowLoss): ResultDocument {
  return {
    ...plan.invalid(id, [{ path: '', message }]),
    status: 'not-found',
    reason: { code, message },
    degraded: true,
  };
}
