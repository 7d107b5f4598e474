/** `elsewise policies ...`: one row per subcommand. */
import type { CommandGroup } from '../../command.js';
import { registryCommands } from './registry.js';

export const policies: CommandGroup = {
  about: 'Policies in the registry, with versions like models.',
  commands: [
    {
      name: 'push',
      summary: 'put a policy file into the registry as its next version',
      load: async () => (await import('./policies-push.js')).push,
    },
    ...registryCommands('policies'),
  ],
};
