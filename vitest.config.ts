/**
 * Two projects, one after the other: tests that only compute, side by side; then tests that share the real Redis or start servers of
 * their own, six files at a time, each in a world of its own. These mostly wait for processes and servers. No test times anything,
 * so a test that gets no core for a while only takes longer.
 * A process runs many files: loading the code is most of the cost of a file, and no test changes what others see of the code.
 */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const WAITING = ['test/integration/**/*.test.ts', 'test/chaos/**/*.test.ts'];
const [SRC, DIST] = ['src', 'dist'].map((name) => fileURLToPath(new URL(`./${name}/`, import.meta.url)));

/** `npm test` has just built: what tests import of src is then taken from dist, and is not compiled a second time. */
const built: Plugin = {
  name: 'built',
  enforce: 'pre',
  resolveId(id, importer) {
    if (!process.env.AFTER_BUILD || !importer || !id.startsWith('.')) return null;
    const path = resolve(dirname(importer), id);
    if (!path.startsWith(SRC)) return null;
    const file = join(DIST, path.slice(SRC.length)).replace(/\.tsx?$/, '.js');
    return existsSync(file) ? file : null;
  },
};

/** Files that take long although they are short: with them at the end, one would run alone. */
const LONG = [
  'chaos/redis',
  'chaos/processes',
  'integration/redis-cluster-failover',
  'integration/up',
  'integration/redis-sentinel',
  'integration/queue-pressure',
  'integration/event-pressure',
  'integration/package',
  'chaos/rows',
  'integration/tutorial',
  'oracle/oracle',
  'solvers/rough-linear',
  'interop/sklearn',
  'interop/python-package',
  'integration/redis-access',
  'integration/redis-away',
].map((name) => `/${name}.test.ts`);

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((name) => moduleId.endsWith(name));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** Node loads the built code by itself. */
const server = { deps: { external: [/\/dist\//] } };

export default defineConfig({
  plugins: [built],
  test: {
    server,
    pool: 'forks',
    maxWorkers: 2,
    globals: false,
    isolate: false,
    sequence: { sequencer: LongFirst },
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
          maxWorkers: 6,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
