/** `elsewise models list`: everything in the registry, newest versions first. */
import type { ModelVersion } from '../../store/model-store.js';
import { defineCommand } from '../command.js';
import { STORE_OPTIONS, useStore } from '../store-options.js';
import { formatTable } from '../table.js';

const HEADER = ['model', 'family', 'features', 'pushed', 'digest'];
const SHORT_DIGEST = 'sha256:'.length + 12;

export const list = defineCommand({
  usage: 'models list [--redis URL]',
  about: 'Lists the models of the registry by name, each with all of its versions, newest first.',
  options: STORE_OPTIONS,
  examples: [{ does: 'what workers can be asked for', command: 'models list' }],
  async run({ options }) {
    const versions = await useStore(options, ({ models }) => models.list());
    const text = versions.length ? formatTable([HEADER, ...versions.map(describe)]) : 'no models: see `models push`';
    process.stdout.write(`${text}\n`);
    return 0;
  },
});

function describe({ name, version, family, features, pushed, digest }: ModelVersion): string[] {
  return [`${name}@${version}`, family, String(features), pushed.slice(0, 19), digest.slice(0, SHORT_DIGEST)];
}
