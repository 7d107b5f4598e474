/** A command: data for the help text, and a function that returns the exit code. */
import type { CommandInput, OptionTable } from './options.js';

export interface Example {
  readonly command: string;
  readonly does: string;
}

export interface Command<T extends OptionTable = OptionTable> {
  /** The call without the program's name: `explain --model FILE --input FILE --output FILE`. */
  readonly usage: string;
  /** The description of the command; lines of at most 120 characters. */
  readonly about: string;
  readonly options: T;
  /** Names of the arguments without a dash. All are required except those in brackets. */
  readonly positionals?: readonly string[];
  readonly examples: readonly Example[];
  run(input: CommandInput<T>): Promise<number>;
}

/** A row of a table of commands. Its code is loaded on demand, so each command starts fast. */
export interface CommandRow {
  readonly name: string;
  readonly summary: string;
  load(): Promise<Command | CommandGroup>;
}

/** A group of commands, such as `models`. */
export interface CommandGroup {
  readonly about: string;
  readonly commands: readonly CommandRow[];
}

/** Infers the types of a command's options from its table. */
export function defineCommand<const T extends OptionTable>(command: Command<T>): Command {
  return command as unknown as Command;
}

export function isGroup(command: Command | CommandGroup): command is CommandGroup {
  return 'commands' in command;
}
