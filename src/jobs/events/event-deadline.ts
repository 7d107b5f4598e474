/** An event holds a thread that all events share for as long as its policy allows, so it may not allow any length of time. */
import { config } from '../../config.js';
import { ElsewiseError } from '../../documents/error.js';
import type { Policy } from '../../policy/policy.js';

/** Gives the policy back when an event may have it. */
export function forEvent<P extends Policy>(policy: P): P {
  const { deadlineMs } = policy.document;
  const { maxDeadlineMs } = config.events;
  if (deadlineMs <= maxDeadlineMs) return policy;
  const message = `${deadlineMs} ms are too many for an event: events.maxDeadlineMs is ${maxDeadlineMs}`;
  throw new ElsewiseError('bad-document', message, 'policy.deadlineMs');
}
