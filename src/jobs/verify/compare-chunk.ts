/** The task `compare` in a thread. */
import { asBuffer } from '../../store/codec/byte-streams.js';
import { recordsOf } from '../rows/records.js';
import type { CompareTask, ThreadTask } from '../threads/messages.js';
import type { ThreadPlanOptions, ThreadPlans } from '../threads/thread-plans.js';
import { type Comparison, compareLines } from './comparison.js';

export async function compareChunk(
  task: ThreadTask<CompareTask>,
  plans: ThreadPlans,
  options: ThreadPlanOptions,
): Promise<Comparison> {
  const { bytes, solved, isFromResults, model } = task;
  return compareLines(linesOf(bytes), linesOf(solved), {
    isFromResults,
    plan: async () => (model.scored ? null : plans.get(task).prepare(options)),
  });
}

function linesOf(bytes: Uint8Array): string[] {
  const buffer = asBuffer(bytes);
  return Array.from(recordsOf(buffer, { format: 'ndjson' }), ({ start, end }) => buffer.toString('utf8', start, end));
}
