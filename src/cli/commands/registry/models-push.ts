/** `elsewise models push FILE`: stores the next version of a model. Known content keeps its version. */
import { defineCommand } from '../../command.js';
import { readModelJson } from '../../documents.js';
import { STORE_OPTIONS, useStore } from '../../store-options.js';

export const push = defineCommand({
  usage: 'models push FILE [--redis URL]',
  about: `Loads the model as \`models check\` does, and stores the model under its name with the next version number. A model
whose scores differ from its probes is refused. A version never changes. Equal content keeps its number. The
last line is the reference: name@version.`,
  options: STORE_OPTIONS,
  positionals: ['FILE'],
  examples: [{ does: 'make a model known to all workers', command: 'models push model.json' }],
  async run({ options, positionals: [path] }) {
    const document = await readModelJson(path);
    const { version, isNew } = await useStore(options, ({ models }) => models.push(document));
    if (!isNew) process.stderr.write(`elsewise: the registry has the same content since ${version.pushed}\n`);
    process.stdout.write(`${version.name}@${version.version}\n`);
    return 0;
  },
});
