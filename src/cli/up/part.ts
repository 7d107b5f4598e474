/**
 * A child process of `elsewise up`. Its first line with an address gives the address of the part. Its messages are passed on under its
 * name. A part gets no Ctrl-C of its own, so `up` can end the parts in order. A part ends when the channel to its parent breaks: a killed
 * parent leaves no process behind.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { withoutStrays } from '../../config.js';
import { ElsewiseError } from '../../documents/error.js';
import type { PartMessages } from './part-messages.js';

export interface PartSpec {
  readonly name: string;
  /** The file that the process runs. */
  readonly entry: URL;
  readonly args: readonly string[];
}

/** Longer than a worker needs to finish its jobs. */
const STOP_MS = 20_000;

export class SystemPart {
  readonly name: string;
  readonly pid: number;
  /** The line that the part printed when it was ready. */
  readonly readyLine: string;
  /** The kind of its end, as text. */
  readonly ended: Promise<string>;
  readonly #process: ChildProcess;

  /** Resolves when the part is ready. Rejects if it ends before. */
  static async start({ name, entry, args }: PartSpec, messages: PartMessages): Promise<SystemPart> {
    const child = spawn(process.execPath, ['--no-warnings', fileURLToPath(entry), ...args], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true,
      env: withoutStrays(), // `up` itself tells of them
    });
    const lastWords = passOn(name, child.stderr!, messages);
    const ended = endOf(child);
    const ready = await Promise.race([readyLineOf(child.stdout!), ended.then(() => undefined)]);
    if (ready !== undefined) return new SystemPart(name, child, ready, ended);
    throw new ElsewiseError('unsupported', `${name} did not start: ${lastWords() || (await ended)}`);
  }

  private constructor(name: string, child: ChildProcess, readyLine: string, ended: Promise<string>) {
    this.name = name;
    this.pid = child.pid!;
    this.readyLine = readyLine;
    this.ended = ended;
    this.#process = child;
  }

  /** The address of the part. */
  get url(): string {
    return ADDRESS.exec(this.readyLine)![0];
  }

  /** The text after the address. */
  get about(): string {
    return this.readyLine.slice(this.readyLine.indexOf(this.url) + this.url.length).trim();
  }

  async stop(): Promise<void> {
    this.#process.kill('SIGTERM');
    const patience = setTimeout(() => this.#process.kill('SIGKILL'), STOP_MS);
    await this.ended;
    clearTimeout(patience);
  }
}

const ADDRESS = /\w+:\/\/[^\s,]+/;

/** All other lines are drained, because a full pipe would block the process. */
function readyLineOf(output: Readable): Promise<string> {
  return new Promise((resolve) => createInterface(output).on('line', (line) => ADDRESS.test(line) && resolve(line)));
}

function passOn(name: string, errors: Readable, messages: PartMessages): () => string {
  let last = '';
  createInterface(errors).on('line', (line) => {
    last = line;
    messages.tell(name, line);
  });
  return () => last;
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(signal ? `killed by ${signal}` : `ended with code ${code}`));
  });
}
