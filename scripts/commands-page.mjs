/** docs/commands.md, from the table of commands: the same words as `--help`. */

const INTRODUCTION = `# Commands

Every command and every option. \`elsewise COMMAND --help\` prints the same words. In a clone, type \`npx elsewise\` for \`elsewise\`.

| exit code | meaning |
| --- | --- |
| 0 | The command is done. Rows may be infeasible or invalid: the summary counts them. |
| 1 | \`verify\`, \`audit verify\` or \`receipts check\` found a fault. Of other commands: a bug of elsewise, and \`ELSEWISE_DEBUG=1\` prints where. |
| 2 | The command line, the model or the policy is wrong. The message names the place, and nothing was written. |
| 3 | Redis cannot be reached. |
| 4 | Every row was invalid. The commonest reasons are printed. |
| 130 | The command was interrupted, or its output could not be written any further (a full disk). Finished rows are kept whole. |
`;

/** `commands`: rows of the table, as src/cli/commands/index.ts has them. */
export async function commandsPage(commands) {
  const all = await leavesOf(commands, []);
  return `${[INTRODUCTION.trimEnd(), ...all.map(sectionOf)].join('\n\n')}\n`;
}

/** All commands that can be run, with their paths: groups are opened. */
export async function leavesOf(commands, path) {
  const loaded = await Promise.all(commands.map(async (row) => ({ row, command: await row.load() })));
  const leaves = loaded.map(({ row, command }) => {
    const here = [...path, row.name];
    return command.commands ? leavesOf(command.commands, here) : [{ path: here, summary: row.summary, command }];
  });
  return (await Promise.all(leaves)).flat();
}

function sectionOf({ path, command }) {
  const { about, usage, options, examples } = command;
  const typed = examples.map(({ command: call, does }) => `# ${does}\nelsewise ${call}`).join('\n\n');
  return [
    `## ${path.join(' ')}`,
    proseOf(about),
    `\`\`\`\nelsewise ${usage}\n\`\`\``,
    [
      '| option | meaning |',
      '| --- | --- |',
      ...Object.entries(options).map(rowOf),
      '| `--help` | print this help |',
    ].join('\n'),
    `\`\`\`sh\n${typed}\n\`\`\``,
  ].join('\n\n');
}

/** Paths of pages become links. */
function proseOf(text) {
  return inCells(text).replaceAll(/docs\/([\w-]+\.md)/g, '[$1]($1)');
}

function rowOf([name, spec]) {
  const value = spec.kind === 'flag' ? '' : ` ${spec.kind === 'choice' ? spec.choices.join('|') : spec.value}`;
  const help = spec.help.replaceAll('\n', ' ');
  return `| \`--${name}${value.replaceAll('|', '\\|')}\` | ${proseOf(help).replaceAll('|', '\\|')}${spec.required ? ' (required)' : ''} |`;
}

/** Angle brackets are tags in Markdown; stars and underscores are emphasis. */
function inCells(text) {
  return text.replaceAll(/[<>*]/g, '\\$&');
}
