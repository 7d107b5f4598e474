/** `elsewise models ...`: one row per subcommand. */
import type { CommandGroup } from '../../command.js';
import { registryCommands } from './registry.js';

export const models: CommandGroup = {
  about: 'Model files and the registry that workers take models from.',
  commands: [
    {
      name: 'check',
      summary: 'load a model, run its probes and compare it with predictions of its library',
      load: async () => (await import('./models-check.js')).check,
    },
    {
      name: 'diff',
      summary: 'say what changed between two versions of a model',
      load: async () => (await import('./models-diff.js')).diff,
    },
    {
      name: 'import',
      summary: 'turn the model file of another library into a model document',
      load: async () => (await import('./models-import.js')).importModel,
    },
    {
      name: 'probe',
      summary: 'write rows at thresholds and decisions for the library to score',
      load: async () => (await import('./models-probe.js')).probe,
    },
    {
      name: 'push',
      summary: 'put a model file into the registry as its next version',
      load: async () => (await import('./models-push.js')).push,
    },
    ...registryCommands('models'),
  ],
};
