/** The command line as a process: runs the command of the arguments and exits with its exit code. */
import { dispatch } from './dispatch.js';
import { packageVersion } from './package-version.js';
import { guardStandardStreams, standardOutputEnds } from './standard-streams.js';

async function main(args: readonly string[]): Promise<number> {
  guardStandardStreams();
  if (args[0] === '--version' || args[0] === '-v') {
    process.stdout.write(`${packageVersion()}\n`);
    return 0;
  }
  return dispatch(args);
}

const exitCode = await main(process.argv.slice(2));
await standardOutputEnds();
process.exit(exitCode);
