#!/usr/bin/env node
/** The command line as a process: its arguments go to the command that they name, errors become messages and exit codes. */
import { readFileSync } from 'node:fs';
import { ElsewiseError } from '../documents/error.js';
import { dispatch } from './dispatch.js';

const BUG_EXIT_CODE = 1;

function version(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

function report(error: unknown): number {
  if (process.env.ELSEWISE_DEBUG === '1') console.error(error);
  if (error instanceof ElsewiseError) {
    console.error(`elsewise: ${error.message}`);
    return error.exitCode;
  }
  const message = error instanceof Error ? error.message : String(error);
  console.error(`elsewise: ${firstLine(message)} (this is a bug; ELSEWISE_DEBUG=1 shows where)`);
  return BUG_EXIT_CODE;
}

const firstLine = (text: string): string => text.split('\n', 1)[0].slice(0, 500);

async function main(args: readonly string[]): Promise<number> {
  // A reader that has seen enough (`| head`) is no error.
  process.stdout.on('error', () => process.exit(0));
  if (args[0] === '--version') {
    process.stdout.write(`${version()}\n`);
    return 0;
  }
  return dispatch(args);
}

process.exit(await main(process.argv.slice(2)).catch(report));
