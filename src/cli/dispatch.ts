/** From arguments to an exit code: finds the command in the table, shows its help, or reads its options and runs the command. */
import { ElsewiseError } from '../documents/error.js';
import { didYouMean } from '../documents/nearest-name.js';
import { type Command, type CommandGroup, type CommandRow, isGroup } from './command.js';
import { commands } from './commands/index.js';
import { describeCommand, describeTable } from './help.js';
import { readArguments } from './options.js';

const ROOT: CommandGroup = { about: 'elsewise: counterfactual explanations in bulk and on demand.', commands };
const HELP = new Set(['--help', '-h', 'help']);
const BUG_EXIT_CODE = 1;

/** Runs the command that the arguments name and returns its exit code. Errors are reported on standard error. */
export function dispatch(args: readonly string[]): Promise<number> {
  return run(args, ROOT, []).catch(report);
}

async function run(args: readonly string[], group: CommandGroup, path: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || HELP.has(name)) {
    process.stdout.write(describeTable(group.about, path, group.commands));
    return 0;
  }
  const command = await findRow(name, group, path).load();
  if (isGroup(command)) return run(rest, command, [...path, name]).catch((error) => withList(error, command, name));
  return runCommand(rest, command, [...path, name]);
}

/** An unknown id or name: the group may list those that are stored. */
function withList(error: unknown, { commands }: CommandGroup, group: string): never {
  const isListed = commands.some(({ name }) => name === 'list');
  const isUnknown = error instanceof ElsewiseError && error.code === 'not-known';
  if (!isUnknown || !isListed || error.message.includes(`${group} list`)) throw error;
  throw new ElsewiseError('not-known', `${error.message}: elsewise ${group} list shows what is stored`);
}

function findRow(name: string, { commands }: CommandGroup, path: readonly string[]): CommandRow {
  const row = commands.find((candidate) => candidate.name === name);
  if (row) return row;
  const names = commands.map((candidate) => candidate.name);
  const hint = didYouMean(name, names) || `; known are ${names.join(', ')}`;
  throw new ElsewiseError('usage', `unknown command "${[...path, name].join(' ')}"${hint}`);
}

async function runCommand(args: readonly string[], command: Command, path: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(describeCommand(command));
    return 0;
  }
  try {
    return await command.run(readArguments(args, command.options, command.positionals ?? []));
  } catch (error) {
    if (!(error instanceof ElsewiseError) || error.code !== 'usage') throw error;
    throw new ElsewiseError('usage', `${error.message}\n(elsewise ${path.join(' ')} --help describes the command)`);
  }
}

function report(error: unknown): number {
  if (process.env.ELSEWISE_DEBUG === '1') console.error(error);
  if (error instanceof ElsewiseError) {
    process.stderr.write(`elsewise: ${error.message}\n`);
    return error.exitCode;
  }
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`elsewise: ${firstLine(message)} (this is a bug; ELSEWISE_DEBUG=1 shows where)\n`);
  return BUG_EXIT_CODE;
}

const firstLine = (text: string): string => text.split('\n', 1)[0].slice(0, 500);
