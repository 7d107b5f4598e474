/** `elsewise models show REF`, `elsewise policies show REF`: one version, as a description or as the document itself. */

import { formatCount } from '../../../report/numbers.js';
import type { StoredVersion } from '../../../store/registry/versioned-store.js';
import { type Command, defineCommand } from '../../command.js';
import type { RegistryKind } from '../../registry-kinds.js';
import { STORE_OPTIONS, useStore } from '../../store-options.js';
import { formatTable } from '../../table.js';
import { aliasesOf } from './registry-list.js';

export function showCommand(kind: RegistryKind): Command {
  const { group, noun, sample } = kind;
  return defineCommand({
    usage: `${group} show name|name@version|name@alias [--document] [--redis URL]`,
    about: `Describes a ${noun} of the registry; a name alone means the latest version.`,
    options: {
      document: { kind: 'flag', help: `print the ${noun} document itself, checked against its digest` },
      ...STORE_OPTIONS,
    },
    positionals: ['REF'],
    examples: [
      { does: 'the latest version', command: `${group} show ${sample}` },
      { does: 'the version that an alias names', command: `${group} show ${sample}@production` },
      { does: 'write the document to a file', command: `${group} show ${sample}@3 --document > ${noun}.json` },
    ],
    run: ({ options, positionals: [reference] }) =>
      useStore(options, async (store) => {
        const registry = kind.store(store);
        const version = await registry.resolve(reference);
        const document = await registry.read(version); // the description, too, is shown only for an undamaged document
        const aliases = aliasesOf(version, await registry.aliases(version.name));
        const text = options.document ? document : formatTable(describe(kind, version, aliases));
        process.stdout.write(`${text}\n`);
        return 0;
      }),
  });
}

function describe(kind: RegistryKind, version: StoredVersion, aliases: readonly string[]): string[][] {
  return [
    [kind.noun, `${version.name}@${version.version}`],
    ['aliases', aliases.join(', ') || 'none'],
    ...[...kind.columns, ...kind.details].map(({ title, show }) => [title, show(version)]),
    ['document', formatCount(version.bytes, 'byte')],
    ['pushed', version.pushedBy ? `${version.pushed} by ${version.pushedBy}` : version.pushed],
    ['digest', version.digest],
  ];
}
