/** A solver thread that comes to grief over rows whose id says how. */
import { createPlan } from '../../../dist/explain/plan.js';
import { answerTasks } from '../../../dist/jobs/threads/thread-reply.js';

const MISDEEDS = {
  hang() {
    for (;;);
  },
  exit() {
    process.exit(7);
  },
  memory() {
    const kept = [];
    for (;;) kept.push(new Array(100_000).fill(kept.length));
  },
  /** As a thread that gets no core: time passes on the wall clock only. */
  starve() {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000);
  },
  throw() {
    throw new Error('a bug');
  },
};

function prepareMisbehaving(model, policy, options) {
  const plan = createPlan(model, policy, options);
  return {
    invalid: (...args) => plan.invalid(...args),
    explainRecord(id, ...rest) {
      MISDEEDS[id.split('-')[0]]?.();
      return plan.explainRecord(id, ...rest);
    },
  };
}

export default answerTasks({ prepare: prepareMisbehaving, now: () => performance.now() });
