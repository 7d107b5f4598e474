/** Tells Redis at intervals that this worker lives and what it does. A lost heartbeat is not repeated: the next one says more. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { config } from '../../config.js';
import type { Heartbeat, WorkerRegistry } from '../../store/operator/worker-registry.js';
import { VERSION } from '../audit/software.js';

export interface WorkerFacts {
  readonly threads: number;
  readonly queues: readonly string[];
}

export interface RunningJob {
  readonly queue: string;
  readonly id: string;
  /** In ms. */
  readonly started: number;
}

const MOST_JOBS = 50;

/** Different for two processes on one machine, and for two workers in one process. */
export const newWorkerId = (): string => `${hostname()}-${process.pid}-${randomBytes(2).toString('hex')}`;

export class Pulse {
  readonly #registry: WorkerRegistry;
  readonly #facts: Pick<Heartbeat, 'id' | 'host' | 'pid' | 'version' | 'started' | 'threads' | 'queues'>;
  readonly #running: () => RunningJob[];
  readonly #timer: NodeJS.Timeout;

  /** `isUp`: whether Redis answers at present. */
  constructor(
    registry: WorkerRegistry,
    id: string,
    { threads, queues }: WorkerFacts,
    { running, isUp }: { running(): RunningJob[]; isUp(): boolean },
  ) {
    const started = new Date().toISOString();
    this.#registry = registry;
    this.#facts = { id, host: hostname(), pid: process.pid, version: VERSION, started, threads, queues: [...queues] };
    this.#running = running;
    this.#timer = setInterval(() => void (isUp() && this.#beat()), config.worker.heartbeatMs);
    void this.#beat();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async leave(): Promise<void> {
    await this.#registry.leave(this.#facts.id).catch(() => {}); // the record expires by itself
  }

  async #beat(): Promise<void> {
    const running = this.#running().sort((one, other) => one.started - other.started);
    const jobs = running.slice(0, MOST_JOBS).map(({ queue, id, started }) => ({ queue, id, since: timeText(started) }));
    const heartbeat = { ...this.#facts, seen: timeText(Date.now()), jobs, jobCount: running.length };
    await this.#registry.beat(heartbeat).catch(() => {});
  }
}

const timeText = (ms: number): string => new Date(ms).toISOString();
