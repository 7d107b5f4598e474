#!/usr/bin/env node
/** The command line as a process: what its arguments name is run, and its exit code becomes that of the process. */
import { readFileSync } from 'node:fs';
import { dispatch } from './dispatch.js';

function version(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

async function main(args: readonly string[]): Promise<number> {
  // A reader that has seen enough (`| head`) is no error.
  process.stdout.on('error', () => process.exit(0));
  if (args[0] === '--version') {
    process.stdout.write(`${version()}\n`);
    return 0;
  }
  return dispatch(args);
}

process.exit(await main(process.argv.slice(2)));
