/**
 * The second half of `npm run build`: each file that a thread or the command line starts with, and all code that the file needs at once,
 * as one file in dist. A thread then reads one file in place of 450, and starts in half the time. The commands of the command line are
 * files of their own. Packages that start threads, load WebAssembly or are optional stay packages. The bundles lie beside dist/places.js,
 * so that its addresses hold in them as well. The licences of the packages whose code the bundles hold are in
 * dist/third-party-licences.txt.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));
const THREADS = {
  'solver-thread.js': 'jobs/threads/thread.js',
  'event-thread.js': 'jobs/events/event-thread.js',
  'scorer-thread.js': 'jobs/scoring/scorer-thread.js',
  'table-thread.js': 'jobs/tables/table-thread.js',
};
/** The command line: its code, the name of the bundles, and the file that users start. */
const COMMAND = { entry: 'cli/command-line.js', name: 'command', start: 'cli/main.js' };
const BUNDLED = ['zod', 'ml-matrix', 'lru-cache', 'is-any-array', 'ml-array-rescale', 'ml-array-max', 'ml-array-min'];
const BUILT_IN = new Set(builtinModules);

const isFile = (name) => /^[./\0]|^[a-z]:\\/i.test(name);
const isBundled = (name) => BUNDLED.some((one) => name === one || name.startsWith(`${one}/`));
const isExternal = (name) => !isFile(name) && (name.startsWith('node:') || BUILT_IN.has(name) || !isBundled(name));

const modules = await Promise.all([
  ...Object.entries(THREADS).map(([file, entry]) => bundle(entry, { file: DIST + file, codeSplitting: false })),
  bundleCommand(),
]);
writeFileSync(join(DIST, 'third-party-licences.txt'), licencesOf(new Set(modules.flat().flatMap(packageOf))));

/** The modules of the bundle. */
async function bundle(entry, target) {
  const code = await rolldown({ input: DIST + entry, platform: 'node', external: isExternal });
  const { output } = await code.write({ format: 'esm', ...target });
  await code.close();
  return output.flatMap(({ moduleIds = [] }) => moduleIds);
}

/** Also writes the file that users start. The compiler does not write that file: bundling again finds the code of the command line unchanged. */
async function bundleCommand() {
  const { entry, name, start } = COMMAND;
  for (const file of readdirSync(DIST)) if (file.startsWith(`${name}-`)) rmSync(DIST + file);
  const names = { entryFileNames: `${name}.js`, chunkFileNames: `${name}-[name]-[hash].js` };
  const modules = await bundle(entry, { dir: DIST, ...names });
  writeFileSync(DIST + start, `#!/usr/bin/env node\nimport '../${name}.js';\n`);
  return modules;
}

/** The folder of the package that a module belongs to. */
function packageOf(id) {
  return id.match(/^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/)?.slice(0, 1) ?? [];
}

function licencesOf(folders) {
  return [...folders]
    .sort()
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
      return `${name} ${version} (${license})\n\n${file ? readFileSync(join(folder, file), 'utf8').trim() : ''}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}
