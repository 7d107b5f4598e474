/** The file that runs in the thread of an EventReader. */

import type { ReadTask, ThreadTask } from '../threads/messages.js';
import { answerSafely } from '../threads/thread-answer.js';
import { EventPolicies } from './event-policies.js';
import { parseEvent, readEvent } from './read-event.js';

const policies = new EventPolicies();

export default answerSafely(async ({ bytes, form }: ThreadTask<ReadTask>) => ({
  answer: readEvent(parseEvent(bytes, form), form, policies),
}));
