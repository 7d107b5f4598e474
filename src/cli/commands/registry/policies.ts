/** `elsewise policies ...`: one row per subcommand. */
import type { CommandGroup } from '../../command.js';
import { registryCommands } from './registry.js';

export const policies: CommandGroup = {
  about: 'Policy files, and policies in the registry with versions like models.',
  commands: [
    {
      name: 'init',
      summary: 'write a first policy for a model, with comments and questions',
      load: async () => (await import('./policies-init.js')).init,
    },
    {
      name: 'push',
      summary: 'put a policy file into the registry as its next version',
      load: async () => (await import('./policies-push.js')).push,
    },
    ...registryCommands('policies'),
  ],
};
