/** `elsewise models ...`: one row per subcommand. */
import type { CommandGroup } from '../../command.js';
import { registryCommands } from './registry.js';

export const models: CommandGroup = {
  about: 'Model files and the registry that workers take models from.',
  commands: [
    {
      name: 'check',
      summary: 'load a model, run its probes and describe the model',
      load: async () => (await import('./models-check.js')).check,
    },
    {
      name: 'import',
      summary: 'turn the model file of another library into a model document',
      load: async () => (await import('./models-import.js')).importModel,
    },
    {
      name: 'push',
      summary: 'put a model file into the registry as its next version',
      load: async () => (await import('./models-push.js')).push,
    },
    ...registryCommands('models'),
  ],
};
