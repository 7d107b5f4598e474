/**
 * Four projects, one after the other: tests that only compute, side by side; those that share the real Redis and mostly wait,
 * three files at a time, each in a world of its own; those that kill servers, workers and threads and wait for the others to
 * notice, two at a time; and those that time things or count a server's connections, one at a time, so that none is starved by another.
 * A process runs many files: most of what one costs is loading the code, and no test changes what others see of it.
 */
import { defineConfig } from 'vitest/config';

const SHARING = ['test/integration/**/*.test.ts'];
const KILLING = [
  'test/chaos/**/*.test.ts',
  'test/integration/queue-answers.test.ts',
  'test/integration/redis-cluster-failover.test.ts',
  'test/integration/redis-sentinel.test.ts',
];
const ALONE = [
  'test/integration/api-batches.test.ts',
  'test/integration/dead-letters.test.ts',
  'test/integration/queue-faults.test.ts',
];

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    globals: false,
    isolate: false,
    // far above what a test takes beside busy processes: a limit for tests that hang, no promise of speed
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...SHARING, ...KILLING],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'sharing',
          include: SHARING,
          exclude: [...KILLING, ...ALONE],
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: 'killing', include: KILLING, sequence: { groupOrder: 2 } },
      },
      {
        extends: true,
        test: { name: 'alone', include: ALONE, fileParallelism: false, sequence: { groupOrder: 3 } },
      },
    ],
  },
});
