/** A scorer in a process of its own, which a test can slow down, break, kill and bring back. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./scorer-process.mjs', import.meta.url));

export interface ScorerCounts {
  readonly requests: number;
  readonly points: number;
  /** Points of the largest request. */
  readonly largest: number;
  /** Requests at the same time. */
  readonly most: number;
  readonly authorization: readonly string[];
}

export interface ScorerBehaviour {
  readonly latencyMs: number;
  readonly status: number;
  readonly fault: string;
  readonly version: string;
  /** So many requests are answered with 503. */
  readonly failNext: number;
}

export class ScorerProcess {
  readonly port: number;
  #child: ChildProcess;
  #lines: Interface;

  private constructor(child: ChildProcess, lines: Interface, port: number) {
    this.#child = child;
    this.#lines = lines;
    this.port = port;
  }

  static async start(port = 0): Promise<ScorerProcess> {
    const child = spawn(process.execPath, [PROGRAM, String(port)], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface(child.stdout!);
    return new ScorerProcess(child, lines, Number(await nextLine(lines)));
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Settings under which the scorer may be asked. */
  get environment(): NodeJS.ProcessEnv {
    return { ELSEWISE_SCORING_HOSTS: `127.0.0.1:${this.port}`, ELSEWISE_SCORING_PRIVATE_ADDRESSES: 'true' };
  }

  /** Gives what was counted so far. */
  async behave(change: Partial<ScorerBehaviour>): Promise<ScorerCounts> {
    const answer = nextLine(this.#lines);
    this.#child.stdin!.write(`${JSON.stringify({ ...change, count: 'reset' })}\n`);
    return JSON.parse(await answer) as ScorerCounts;
  }

  counts(): Promise<ScorerCounts> {
    return this.behave({});
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await ended;
  }

  /** At the same port, with its first behaviour. */
  async comeBack(): Promise<void> {
    const again = await ScorerProcess.start(this.port);
    this.#child = again.#child;
    this.#lines = again.#lines;
  }
}

const nextLine = (lines: Interface): Promise<string> => new Promise((resolve) => lines.once('line', resolve));

/** The features of `fewValues` and a black box for its scorer; the same scores for every protocol. */
export function blackBoxDocument(scorer: object, more: Record<string, unknown> = {}) {
  const { parameters, ...rest } = more;
  const samples = Array.from({ length: 24 }, (_, k) => [k % 5, (k % 11) / 10, ['x', 'y', 'z'][k % 3]]);
  return {
    schema: 'elsewise.model/v1',
    name: 'few',
    family: 'black-box',
    features: [
      { name: 'a', type: 'integer', min: 0, max: 4 },
      { name: 'b', type: 'continuous', min: 0, max: 1, decimals: 1 },
      { name: 'c', type: 'categorical', categories: ['x', 'y', 'z'] },
    ],
    classes: ['no', 'yes'],
    parameters: { scorer, outputs: 'probabilities', retries: 1, timeoutMs: 1000, ...(parameters as object) },
    background: { samples, labels: samples.map(() => 'no') },
    ...rest,
  };
}

/** The same model, scored by itself. */
export const openDocument = () => ({
  ...blackBoxDocument({}),
  family: 'logistic-regression',
  parameters: { weights: [0.5, 1, 0, 0.3, -0.2], bias: -2.05 },
});
