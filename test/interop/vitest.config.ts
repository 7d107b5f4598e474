/** `npm run interop`: programs that `npm test` does not bring, pandas and LibreOffice. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['test/interop/*.interop.ts'], testTimeout: 300_000, pool: 'forks', maxWorkers: 1 },
});
