/** An event holds a thread that all events share for as long as its policy allows, so it may not allow any length of time. */
import { config } from '../../config.js';
import { ElsewiseError } from '../../documents/error.js';

export function refuseLongDeadline(deadlineMs: number): void {
  const { maxDeadlineMs } = config.events;
  if (deadlineMs <= maxDeadlineMs) return;
  const message = `${deadlineMs} ms are too many for an event: events.maxDeadlineMs is ${maxDeadlineMs}`;
  throw new ElsewiseError('bad-document', message, 'policy.deadlineMs');
}
