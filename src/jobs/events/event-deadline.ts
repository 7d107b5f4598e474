/** An event occupies a shared thread for as long as its policy allows, so the deadline of its policy is limited. */
import { config } from '../../config.js';
import { ElsewiseError } from '../../documents/error.js';

export function refuseLongDeadline(deadlineMs: number): void {
  const { maxDeadlineMs } = config.events;
  if (deadlineMs <= maxDeadlineMs) return;
  const message = `${deadlineMs} ms are too many for an event: events.maxDeadlineMs is ${maxDeadlineMs}`;
  throw new ElsewiseError('bad-document', message, 'policy.deadlineMs');
}
