/** Help texts, made from the tables of commands. */
import type { Command, CommandRow } from './command.js';
import { describeOptions } from './options.js';

const PROGRAM = 'elsewise';

/** `path`: the path to the table; empty for the program itself, `['models']` for a group. */
export function describeTable(about: string, path: readonly string[], rows: readonly CommandRow[]): string {
  const called = [PROGRAM, ...path].join(' ');
  const width = Math.max(...rows.map(({ name }) => name.length));
  return lines(
    about,
    '',
    'Usage:',
    `  ${called} COMMAND [OPTIONS]`,
    '',
    'Commands:',
    ...rows.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    `${called} COMMAND --help describes a command and its options.`,
  );
}

export function describeCommand(command: Command): string {
  const examples = command.examples.flatMap(({ command: typed, does }) => ['', `  # ${does}`, `  ${PROGRAM} ${typed}`]);
  return lines(
    command.about,
    '',
    'Usage:',
    `  ${PROGRAM} ${command.usage}`,
    '',
    'Options:',
    ...describeOptions(command.options),
    '  --help',
    '',
    'Examples:',
    ...examples.slice(1),
  );
}

const lines = (...texts: string[]): string => `${texts.join('\n')}\n`;
