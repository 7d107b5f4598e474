/** The built command line as a process, in a folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, vi } from 'vitest';
import { type ResultDocument, resultSchema } from '../../src/documents/result-document.js';

const CLI = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export const CREDIT = fileURLToPath(new URL('../../examples/credit/', import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
}

/** A fresh folder, gone when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'elsewise-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** `env`: variables beside those of the test. */
export function start(args: readonly string[], input?: string | Buffer, env: NodeJS.ProcessEnv = {}): Running {
  const child = spawn(process.execPath, [CLI, ...args], { env: { ...process.env, ...env } });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (bytes: Buffer) => out.push(bytes));
  child.stderr.on('data', (bytes: Buffer) => err.push(bytes));
  child.stdin.on('error', () => {}); // it may well end before it has read everything
  if (input !== undefined) child.stdin.end(input);
  const finished = new Promise<Finished>((resolve) => {
    child.once('close', (code) => {
      resolve({ code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() });
    });
  });
  return { child, finished };
}

export function run(args: readonly string[], input: string | Buffer = ''): Promise<Finished> {
  return start(args, input).finished;
}

/**
 * A command in the process of the test, one at a time: for what it says and does, where no process is the subject. The configuration
 * of a process is read once: later calls have the variables of the first, but for those of the store.
 */
export async function callHere(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Finished> {
  const { dispatch } = await import('../../dist/cli/dispatch.js');
  const before = process.env;
  const [out, err] = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write').mockReturnValue(true));
  process.env = { ...before, ...env };
  try {
    const code = await dispatch(args);
    const [stdout, stderr] = [out, err].map(({ mock }) => mock.calls.map(([text]) => text).join(''));
    return { code, stdout, stderr };
  } finally {
    process.env = before;
    for (const spy of [out, err]) spy.mockRestore();
  }
}

/** The same, without variables of its own. */
export function here(args: readonly string[]): Promise<Finished> {
  return callHere(args, {});
}

export function writeText(folder: string, name: string, content: string | Buffer | object): string {
  const path = join(folder, name);
  const text = typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content);
  writeFileSync(path, text);
  return path;
}

export function readLines(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n').slice(0, -1);
}

export const resultsOf = (path: string): ResultDocument[] =>
  readLines(path).map((line) => resultSchema.parse(JSON.parse(line)));

export interface ExampleFiles {
  readonly model?: string;
  readonly policy?: string;
  readonly output?: string;
  readonly threads?: number;
}

/** Explains the applicants of an example as its README says, into a folder of its own; the path of the results. */
export async function explainExample(example: string, asked: ExampleFiles): Promise<string> {
  const { model = 'model.json', policy = 'policy.json', output = 'results.ndjson', threads = 1 } = asked;
  const path = join(temporaryFolder(), output);
  const [scorer, rules, input] = [model, policy, 'applicants.csv'].map((name) => join(example, name));
  const files = ['--model', scorer, '--policy', rules, '--input', input, '--output', path];
  const { code, stderr } = await run(['explain', ...files, '--threads', String(threads), '--quiet']);
  expect([code, stderr]).toEqual([0, '']);
  return path;
}

/** Results without what differs from run to run. */
export function withoutTimes(text: string): string {
  return text.replaceAll(/"(ms|elapsedMs)":[0-9.e+-]+/g, '"$1":0');
}
