/**
 * What piscina loads in a new thread: it passes on the file that is meant, by `import`. Piscina itself would take an ES module by
 * `require`, and Node 20 aborts the whole process when a thread is ended just then, as threads are that nobody needs any more.
 */
import threads = require('node:worker_threads');

import type { ThreadData } from './messages.js' with { 'resolution-mode': 'import' };

export = import((threads.workerData as ThreadData).file).then((module) => module.default);
