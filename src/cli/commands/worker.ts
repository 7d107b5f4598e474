/** `elsewise worker`: takes jobs from the queues until it is told to stop. */
import { availableParallelism } from 'node:os';
import { MOST_THREADS, readConfig } from '../../config.js';
import { ElsewiseError } from '../../documents/error.js';
import { didYouMean } from '../../documents/nearest-name.js';
import { type LaneName, QUEUES } from '../../jobs/contract.js';
import { QueueWorker } from '../../jobs/worker/worker.js';
import { defineCommand } from '../command.js';
import { aborted, interruptSignal } from '../interrupt.js';
import { tellMisspeltVariables } from '../misspelt-variables.js';
import { printable } from '../printable.js';
import { STORE_OPTIONS, settingsOf } from '../store-options.js';

const LANES = Object.keys(QUEUES) as LaneName[];
const SCHEDULE = 'schedule';
const SERVED = [...LANES, SCHEDULE];
const MAX_PORT = 65_535;

export const worker = defineCommand({
  usage: 'worker [--queues events,bulk,schedule] [--threads N] [--port 9464] [--redis URL]',
  about: `Answers the rows of batches and events. Start any number of workers on any number of machines: workers
share the work. When a worker dies, another worker takes up its jobs within seconds.

SIGTERM or SIGINT drains: the worker takes no more jobs, finishes running jobs and ends with 0. A second signal ends the
worker at once. GET /metrics is for Prometheus, /healthz tells whether to restart the worker, /readyz whether the worker
takes jobs. Other settings come from the configuration (elsewise config).

The queue \`schedule\` is for workers that can read the files of schedules (see \`schedule add\`).`,
  options: {
    queues: { kind: 'text', value: 'events,bulk,schedule', help: 'the queues to serve (all)' },
    threads: {
      kind: 'whole',
      value: 'N',
      min: 1,
      max: MOST_THREADS,
      help: 'solver threads for batches (one per core); events have threads of their own',
    },
    port: {
      kind: 'whole',
      value: 'N',
      min: 0,
      help: 'port of /metrics, /healthz and /readyz (9464); 0: any free port',
    },
    ...STORE_OPTIONS,
  },
  examples: [
    { does: 'on every core of this machine', command: 'worker' },
    { does: 'a second worker on the same machine, for batches only', command: 'worker --queues bulk --port 0' },
  ],
  async run({ options }) {
    tellMisspeltVariables();
    const { worker: defaults } = readConfig();
    const { port = defaults.port, threads = threadsOf(defaults.threads) } = options;
    if (port > MAX_PORT) throw new ElsewiseError('usage', `--port: expected at most ${MAX_PORT}, got ${port}`);
    const served = readQueues(options.queues ?? defaults.queues.join(','));
    const lanes = LANES.filter((lane) => served.includes(lane));
    const schedules = served.includes(SCHEDULE);
    const stop = interruptSignal();
    const notice = (text: string) => process.stderr.write(`elsewise: ${printable(text)}\n`);
    const running = await QueueWorker.start({ settings: settingsOf(options), lanes, schedules, threads, port, notice });
    process.stdout.write(`serving ${served.join(' and ')}, probes on http://127.0.0.1:${running.port}/metrics\n`);
    await aborted(stop);
    notice('draining: running jobs are finished, no new job is taken');
    await running.drain();
    notice('drained');
    return 0;
  },
});

const threadsOf = (threads: number | 'auto'): number => (threads === 'auto' ? availableParallelism() : threads);

function readQueues(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !SERVED.includes(name));
  if (unknown === undefined) return SERVED.filter((name) => names.includes(name));
  const hint = didYouMean(unknown, SERVED) || `; known are ${SERVED.join(', ')}`;
  throw new ElsewiseError('usage', `--queues: unknown queue "${unknown}"${hint}`);
}
