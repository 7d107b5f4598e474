/** `elsewise models alias credit@production=3`: a name for a version that can be moved to another version. */
import { ElsewiseError } from '../../../documents/error.js';
import { readAlias } from '../../../store/registry/reference.js';
import { type Command, defineCommand } from '../../command.js';
import type { RegistryKind } from '../../registry-kinds.js';
import { STORE_OPTIONS, useStore } from '../../store-options.js';

export function aliasCommand(kind: RegistryKind): Command {
  const { group, sample } = kind;
  return defineCommand({
    usage: `${group} alias name@alias=version [--from N] | name@alias --drop [--redis URL]`,
    about: `Makes name@alias name a version: a number, "latest" or the present version of another alias. An alias begins with a
letter. A batch keeps the version that the alias named when the batch was enqueued.`,
    options: {
      from: { kind: 'whole', value: 'N', min: 1, help: 'only if the alias names version N at present' },
      drop: { kind: 'flag', help: 'delete the alias; the versions stay' },
      ...STORE_OPTIONS,
    },
    positionals: ['ALIAS'],
    examples: [
      { does: 'version 3 goes live', command: `${group} alias ${sample}@production=3` },
      {
        does: 'the same, unless another user has moved the alias meanwhile',
        command: `${group} alias ${sample}@production=3 --from 2`,
      },
      {
        does: 'keep the version in production under a second alias',
        command: `${group} alias ${sample}@fallback=production`,
      },
      { does: 'delete an alias', command: `${group} alias ${sample}@fallback --drop` },
    ],
    async run({ options, positionals: [text] }) {
      const { name, alias, version } = readAlias(text);
      if (options.drop !== (version === undefined)) {
        throw new ElsewiseError('usage', `expected ${name}@${alias}=version, or ${name}@${alias} with --drop`);
      }
      const said = await useStore(options, async (store) => {
        const registry = kind.store(store);
        if (version === undefined) return registry.dropAlias(name, alias).then(() => 'is dropped');
        const { now, before } = await registry.setAlias(name, alias, version, options.from);
        return `is ${name}@${now.version}${before && before !== now.version ? `, was ${name}@${before}` : ''}`;
      });
      process.stdout.write(`${name}@${alias} ${said}\n`);
      return 0;
    },
  });
}
