/** `elsewise models remove credit@1`: removes a version that nothing uses. */
import { type Command, defineCommand } from '../../command.js';
import type { RegistryKind } from '../../registry-kinds.js';
import { STORE_OPTIONS, useStore } from '../../store-options.js';

export function removeCommand(kind: RegistryKind): Command {
  const { group, sample, noun } = kind;
  return defineCommand({
    usage: `${group} remove name@number [--redis URL]`,
    about: `Removes a version of a ${noun} and its document, for good: its number is not given again. Refused while an alias
names the version or an open batch uses the version. The message says which.`,
    options: STORE_OPTIONS,
    positionals: ['REF'],
    examples: [{ does: 'remove an unused version', command: `${group} remove ${sample}@1` }],
    async run({ options, positionals: [reference] }) {
      const { name, version } = await useStore(options, (store) => kind.store(store).remove(reference));
      process.stdout.write(`${name}@${version} is removed\n`);
      return 0;
    },
  });
}
