/** The command line as a process: runs the command of the arguments and exits with its exit code. */
import { readFileSync } from 'node:fs';
import { PACKAGE } from '../places.js';
import { dispatch } from './dispatch.js';
import { guardStandardStreams, standardOutputEnds } from './standard-streams.js';

function version(): string {
  return (JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string }).version;
}

async function main(args: readonly string[]): Promise<number> {
  guardStandardStreams();
  if (args[0] === '--version') {
    process.stdout.write(`${version()}\n`);
    return 0;
  }
  return dispatch(args);
}

const exitCode = await main(process.argv.slice(2));
await standardOutputEnds();
process.exit(exitCode);
