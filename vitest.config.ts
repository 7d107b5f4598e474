/**
 * Two projects, one after the other: tests that only compute, side by side; then tests that share the real Redis or start servers of
 * their own, four files at a time, each in a world of its own. These mostly wait for processes and servers. No test times anything,
 * so a test that gets no core for a while only takes longer.
 * A process runs many files: loading the code is most of the cost of a file, and no test changes what others see of the code.
 */
import { defineConfig } from 'vitest/config';

const WAITING = ['test/integration/**/*.test.ts', 'test/chaos/**/*.test.ts'];

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
          name: 'computing',
          include: ['test/**/*.test.ts'],
          exclude: WAITING,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'waiting',
          include: WAITING,
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
