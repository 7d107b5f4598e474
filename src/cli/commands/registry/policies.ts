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
      name: 'check',
      summary: 'all faults of a policy file, and rows that the policy blocks',
      load: async () => (await import('./policies-check.js')).check,
    },
    {
      name: 'push',
      summary: 'put a policy file into the registry as its next version',
      load: async () => (await import('./policies-push.js')).push,
    },
    ...registryCommands('policies'),
  ],
};
