/** `elsewise up`: Redis, a worker and the API as processes of this machine, for a first try without any installation. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { MOST_THREADS, readConfig } from '../../config.js';
import { COMMAND_PROCESS, REDIS_PROCESS } from '../../places.js';
import { type Command, defineCommand } from '../command.js';
import { interruptSignal } from '../interrupt.js';
import { tellMisspeltVariables } from '../misspelt-variables.js';
import { type PartSpec, SystemPart } from '../up/part.js';
import { PartMessages } from '../up/part-messages.js';
import { describeParts, suggestCommands } from '../up/words.js';

const FAILED_EXIT_CODE = 1;

/** `hasApi`: whether this version has the command `serve`. */
export const createUp = (hasApi: boolean): Command =>
  defineCommand({
    usage: 'up [--data FOLDER] [--redis-port N] [--threads N]',
    about: `Starts a Redis, a worker and the HTTP API on this machine, and prints the next commands to type and the addresses.
The ports are 6379, 9464 and 8080 where they are free, else any free ports. The Redis is redis-server or valkey-server
from the PATH, else Valkey as WebAssembly in a process of its own. For a first try, not for production. Ctrl-C ends all
parts. When a part dies, the command reports the part and ends the others.`,
    options: {
      data: {
        kind: 'text',
        value: 'FOLDER',
        help: 'folder for the data of Redis (a temporary folder, removed at the end)',
      },
      'redis-port': { kind: 'whole', value: 'N', min: 1, help: 'port of Redis (6379, or any free port)' },
      threads: {
        kind: 'whole',
        value: 'N',
        min: 1,
        max: MOST_THREADS,
        help: 'solver threads for batches (one per core)',
      },
    },
    examples: [
      { does: 'try elsewise', command: 'up' },
      { does: 'keep the data for the next start', command: 'up --data ./elsewise-data --redis-port 6380' },
    ],
    async run({ options }) {
      tellMisspeltVariables();
      const stop = interruptSignal();
      const parts: SystemPart[] = [];
      const messages = new PartMessages();
      const folder = options.data ? resolve(options.data) : await mkdtemp(join(tmpdir(), 'elsewise-up-'));
      try {
        await mkdir(folder, { recursive: true });
        const ports = await choosePorts();
        const redis = redisPart(options['redis-port'] ?? ports.redis, folder, options.data !== undefined);
        const others = (url: string) => [
          workerPart(url, ports.worker, options.threads),
          ...(hasApi ? [apiPart(url, ports.api)] : []),
        ];
        await startAll(parts, redis, others, stop, messages);
        if (stop.aborted) return 0;
        process.stdout.write(`${suggestCommands(parts)}\n\n${describeParts(parts, options.data && folder)}\n`);
        messages.release();
        const death = await Promise.race([firstDeath(parts), aborted(stop)]);
        if (death) process.stderr.write(`elsewise: ${death}; ending the others\n`);
        return death ? FAILED_EXIT_CODE : 0;
      } finally {
        messages.release();
        for (const part of parts.toReversed()) await part.stop();
        if (options.data === undefined) await rm(folder, { recursive: true, force: true });
      }
    },
  });

/** Starts Redis first, and the others when it answers. `parts` contains all running parts, even if one of them does not start. */
async function startAll(
  parts: SystemPart[],
  redis: PartSpec,
  others: (url: string) => PartSpec[],
  stop: AbortSignal,
  messages: PartMessages,
): Promise<void> {
  parts.push(await SystemPart.start(redis, messages));
  for (const spec of others(parts[0].url)) if (!stop.aborted) parts.push(await SystemPart.start(spec, messages));
}

function redisPart(port: number, folder: string, isKept: boolean): PartSpec {
  return { name: 'redis', entry: REDIS_PROCESS, args: [String(port), folder, isKept ? 'keep' : 'forget'] };
}

function workerPart(redisUrl: string, port: number, threads: number | undefined): PartSpec {
  const more = threads === undefined ? [] : ['--threads', String(threads)];
  return {
    name: 'worker',
    entry: COMMAND_PROCESS,
    args: ['worker', '--redis', redisUrl, '--port', String(port), ...more],
  };
}

function apiPart(redisUrl: string, port: number): PartSpec {
  const args = ['serve', '--redis', redisUrl, '--port', String(port), '--insecure-no-auth'];
  return { name: 'api', entry: COMMAND_PROCESS, args };
}

function firstDeath(parts: readonly SystemPart[]): Promise<string> {
  return Promise.race(parts.map(async ({ name, ended }) => `${name} ${await ended}`));
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

/** The ports that the documentation names. */
const REDIS_PORT = 6379;

interface Ports {
  readonly redis: number;
  readonly worker: number;
  readonly api: number;
}

/** A documented port where it is free, else any free port. */
async function choosePorts(): Promise<Ports> {
  const { worker, api } = readConfig();
  const [redis, probes, http] = await Promise.all([REDIS_PORT, worker.port, api.port].map(freePort));
  return { redis, worker: probes, api: http };
}

const freePort = (wanted: number): Promise<number> => tryPort(wanted).catch(() => tryPort(0));

/** Listens on all addresses, because the parts do: a port that is taken on another address is not free. */
function tryPort(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(wanted, () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
