import type { Command, CommandRow } from '../src/cli/command.js';

export interface CommandLeaf {
  readonly path: readonly string[];
  readonly summary: string;
  readonly command: Command;
}

export function commandsPage(commands: readonly CommandRow[]): Promise<string>;
export function leavesOf(commands: readonly CommandRow[], path: readonly string[]): Promise<CommandLeaf[]>;
