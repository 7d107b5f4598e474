/** What a container is told to run, against the table of commands. */

import { isGroup } from '../../../src/cli/command.js';
import { commands } from '../../../src/cli/commands/index.js';
import { readArguments } from '../../../src/cli/options.js';

/** Throws when the command line would not be understood. */
export async function checkCommandLine([name, ...args]: readonly string[]): Promise<void> {
  const row = commands.find((candidate) => candidate.name === name);
  if (!row) throw new Error(`no command "${name}"`);
  const command = await row.load();
  if (isGroup(command)) throw new Error(`"${name}" is a group of commands`);
  readArguments(args, command.options, command.positionals ?? []);
}
