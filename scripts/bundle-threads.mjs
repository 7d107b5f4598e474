/**
 * The second half of `npm run build`: each file that a thread starts with, and all of our code that the file needs, as one file in dist.
 * A thread then reads one file in place of 350, and starts in half the time. Packages stay packages. The bundles lie beside
 * dist/config.js, so that addresses relative to it hold in them as well.
 */
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));
const THREADS = {
  'solver-thread.js': 'jobs/threads/thread.js',
  'event-thread.js': 'jobs/events/event-thread.js',
  'scorer-thread.js': 'jobs/scoring/scorer-thread.js',
};
const isPackage = (name) => !/^[./\0]|^[a-z]:\\/i.test(name);

await Promise.all(Object.entries(THREADS).map(([file, entry]) => bundle(DIST + entry, DIST + file)));

async function bundle(input, file) {
  const code = await rolldown({ input, platform: 'node', external: isPackage });
  await code.write({ file, format: 'esm', codeSplitting: false });
  await code.close();
}
