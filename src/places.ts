/**
 * The addresses of files beside the code: files that threads and processes start with, and files of the package.
 *
 * The build bundles code into files of dist itself (scripts/bundle-threads.mjs). The addresses are relative to dist, and hold in a
 * bundle as well as in this file.
 */
const inDist = (path: string): URL => new URL(`./${path}`, import.meta.url);
const inPackage = (path: string): URL => new URL(`../${path}`, import.meta.url);

/** The code of threads, bundled by the build. */
export const SOLVER_THREAD = inDist('solver-thread.js');
export const EVENT_THREAD = inDist('event-thread.js');
export const SCORER_THREAD = inDist('scorer-thread.js');
export const TABLE_THREAD = inDist('table-thread.js');
/** The first file of a thread, which loads the code of the thread. */
export const THREAD_START = inDist('jobs/threads/thread-start.cjs');

/** The pages of the console, bundled by the build (scripts/bundle-console.mjs). */
export const CONSOLE_PAGES = inDist('console/');

/** The file that users start. The build writes the file (scripts/bundle-threads.mjs). */
export const COMMAND_LINE = inDist('cli/main.js');
/** The processes of `elsewise up`. */
export const REDIS_PROCESS = inDist('cli/up/redis-process.js');
export const COMMAND_PROCESS = inDist('cli/up/command-process.js');

export const PACKAGE = inPackage('package.json');
export const DEFAULT_CONFIGURATION = inPackage('config/default.json');
export const EXAMPLE = inPackage('examples/credit');
