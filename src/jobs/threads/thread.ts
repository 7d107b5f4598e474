/** The file that piscina runs in every solver thread. */
import { createPlan } from '../../explain/plan.js';
import { threadClock } from './thread-clock.js';
import { answerTasks } from './thread-reply.js';

export default answerTasks({ prepare: createPlan, now: () => performance.now(), ownTime: threadClock() });
