/** The long run of the oracle: one file, as long as it takes, its words as they come. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['test/oracle/long-run.ts'], root: '.', testTimeout: 24 * 3_600_000, disableConsoleIntercept: true },
});
