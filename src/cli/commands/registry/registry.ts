/** The common rows of `elsewise models` and `elsewise policies`. */
import type { CommandRow } from '../../command.js';
import { REGISTRY_KINDS } from '../../registry-kinds.js';

export function registryCommands(group: keyof typeof REGISTRY_KINDS): readonly CommandRow[] {
  const kind = REGISTRY_KINDS[group];
  return [
    {
      name: 'list',
      summary: `the ${group} of the registry, their versions and aliases`,
      load: async () => (await import('./registry-list.js')).listCommand(kind),
    },
    {
      name: 'show',
      summary: 'facts about a version, or its document',
      load: async () => (await import('./registry-show.js')).showCommand(kind),
    },
    {
      name: 'alias',
      summary: 'a movable name for a version',
      load: async () => (await import('./registry-alias.js')).aliasCommand(kind),
    },
    {
      name: 'remove',
      summary: 'remove a version that nothing uses',
      load: async () => (await import('./registry-remove.js')).removeCommand(kind),
    },
  ];
}
