import { expect, it } from 'vitest';
import { threadClock } from '../../../src/jobs/threads/thread-clock.js';

it('tells the time that a thread computes, and hardly any that it waits', async () => {
  const now = threadClock();
  const before = now();
  await new Promise((resolve) => setTimeout(resolve, 300));
  const waited = now() - before;
  let sum = 0;
  while (now() - before - waited < 50) for (let k = 0; k < 1e5; k++) sum += Math.sqrt(k);
  expect(sum).toBeGreaterThan(0);
  // Where the system cannot tell a thread's own time the clock on the wall stands in, and waiting counts.
  if (process.platform === 'linux') expect(waited).toBeLessThan(200);
});
