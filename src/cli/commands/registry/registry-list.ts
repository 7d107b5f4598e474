/** `elsewise models list`, `elsewise policies list`: all versions in the registry, newest first. */
import type { StoredVersion } from '../../../store/registry/versioned-store.js';
import { type Command, defineCommand } from '../../command.js';
import type { RegistryKind } from '../../registry-kinds.js';
import { STORE_OPTIONS, useStore } from '../../store-options.js';
import { formatTable } from '../../table.js';

const SHORT_DIGEST = 'sha256:'.length + 12;

export function listCommand(kind: RegistryKind): Command {
  const { group, noun, columns } = kind;
  const header = [noun, 'aliases', ...columns.map(({ title }) => title), 'pushed', 'digest'];
  return defineCommand({
    usage: `${group} list [--redis URL]`,
    about: `Lists the ${group} of the registry by name, each with all of its versions, newest first.`,
    options: STORE_OPTIONS,
    examples: [{ does: 'list all versions', command: `${group} list` }],
    async run({ options }) {
      const rows = await useStore(options, async (store) => {
        const versions = await kind.store(store).list();
        const names = [...new Set(versions.map(({ name }) => name))];
        const found = await Promise.all(names.map((name) => kind.store(store).aliases(name)));
        const aliases = new Map(names.map((name, i) => [name, found[i]]));
        return versions.map((version) => describe(kind, version, aliases.get(version.name)!));
      });
      process.stdout.write(
        rows.length ? `${formatTable([header, ...rows])}\n` : `no ${group}: see \`${group} push\`\n`,
      );
      return 0;
    },
  });
}

function describe(kind: RegistryKind, version: StoredVersion, aliases: ReadonlyMap<string, number>): string[] {
  const { name, pushed, digest } = version;
  const own = aliasesOf(version, aliases).join(', ') || '-';
  const middle = kind.columns.map(({ show }) => show(version));
  return [`${name}@${version.version}`, own, ...middle, pushed.slice(0, 19), digest.slice(0, SHORT_DIGEST)];
}

export function aliasesOf({ version }: StoredVersion, aliases: ReadonlyMap<string, number>): string[] {
  return [...aliases].flatMap(([alias, number]) => (number === version ? [alias] : [])).sort();
}
