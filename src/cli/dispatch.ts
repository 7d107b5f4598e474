/** From arguments to a command: finds it in the table, shows its help, or reads its options and runs it. */
import { ElsewiseError } from '../documents/error.js';
import { didYouMean } from '../documents/nearest-name.js';
import { type Command, type CommandGroup, type CommandRow, isGroup } from './command.js';
import { commands } from './commands/index.js';
import { describeCommand, describeTable } from './help.js';
import { readArguments } from './options.js';

const ROOT: CommandGroup = { about: 'elsewise: counterfactual explanations in bulk and on demand.', commands };
const HELP = new Set(['--help', '-h', 'help']);

/** Runs the command that the arguments name and gives its exit code; rejects with what is wrong with them. */
export function dispatch(args: readonly string[]): Promise<number> {
  return run(args, ROOT, []);
}

async function run(args: readonly string[], group: CommandGroup, path: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || HELP.has(name)) {
    process.stdout.write(describeTable(group.about, path, group.commands));
    return 0;
  }
  const command = await findRow(name, group, path).load();
  if (isGroup(command)) return run(rest, command, [...path, name]);
  return runCommand(rest, command, [...path, name]);
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
    throw new ElsewiseError('usage', `${error.message}\n(elsewise ${path.join(' ')} --help shows how it is used)`);
  }
}
