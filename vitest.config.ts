/**
 * Two projects: tests that only compute run side by side; those that share the real Redis, or kill servers and
 * workers, run after them and one file at a time, so that none of them sees another's keys or is starved by it.
 */
import { defineConfig } from 'vitest/config';

const ALONE = ['test/integration/**/*.test.ts', 'test/chaos/**/*.test.ts'];

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    globals: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
    projects: [
      {
        extends: true,
        test: { name: 'together', include: ['test/**/*.test.ts'], exclude: ALONE, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: { name: 'alone', include: ALONE, fileParallelism: false, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
