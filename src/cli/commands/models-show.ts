/** `elsewise models show REF`: one version of a model, in words or as the document itself. */
import type { ModelVersion } from '../../store/model-store.js';
import { defineCommand } from '../command.js';
import { STORE_OPTIONS, useStore } from '../store-options.js';
import { formatTable } from '../table.js';

export const show = defineCommand({
  usage: 'models show name|name@version [--document] [--redis URL]',
  about: 'Says what a model of the registry is; a name without a version means its latest.',
  options: {
    document: { kind: 'flag', help: 'print the model document itself, checked against its digest' },
    ...STORE_OPTIONS,
  },
  positionals: ['REF'],
  examples: [
    { does: 'what the latest version is', command: 'models show credit' },
    { does: 'get a file back', command: 'models show credit@3 --document > model.json' },
  ],
  run: ({ options, positionals: [reference] }) =>
    useStore(options, async ({ models }) => {
      const version = await models.resolve(reference);
      const document = await models.read(version); // also in words only what is whole is shown
      process.stdout.write(options.document ? `${document}\n` : `${formatTable(describe(version))}\n`);
      return 0;
    }),
});

function describe(version: ModelVersion): string[][] {
  return [
    ['model', `${version.name}@${version.version}`],
    ['family', version.family],
    ['features', String(version.features)],
    ['classes', version.classes.join(', ') || 'none: a regressor'],
    ['document', `${version.bytes} bytes`],
    ['pushed', version.pushed],
    ['digest', version.digest],
  ];
}
