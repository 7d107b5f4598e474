/** The reference of a configuration as a page of Markdown: a section per object of the schema, a row per entry. */
import type { Entry } from './entries.js';
import { valueAt } from './layers.js';

export interface Section {
  readonly name: string;
  readonly description: string;
  readonly entries: readonly Entry[];
}

export function referencePage(introduction: string, sections: readonly Section[], defaults: unknown): string {
  return `${[introduction.trim(), ...sections.map((section) => sectionText(section, defaults))].join('\n\n')}\n`;
}

function sectionText({ name, description, entries }: Section, defaults: unknown): string {
  const head = ['| entry | variable | default | accepts | what it is |', '| --- | --- | --- | --- | --- |'];
  return [`## ${name}`, '', description, '', ...head, ...entries.map((entry) => row(entry, defaults))].join('\n');
}

function row({ path, variables, fileVariables, accepts, description }: Entry, defaults: unknown): string {
  const value = valueAt(defaults, path);
  const names = variables.map((name) => `\`${name}\``).join(', ');
  const cells = [
    `\`${path.join('.')}\``,
    fileVariables.length > 0 ? `${names} (or \`..._FILE\`)` : names,
    value === undefined ? '' : `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``,
    accepts,
    description,
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
