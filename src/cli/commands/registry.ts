/** The rows of `elsewise models` that work on the registry. */
import type { CommandRow } from '../command.js';

export const registryCommands: readonly CommandRow[] = [
  {
    name: 'push',
    summary: 'put a model file into the registry as its next version',
    load: async () => (await import('./models-push.js')).push,
  },
  {
    name: 'list',
    summary: 'the models of the registry and their versions',
    load: async () => (await import('./models-list.js')).list,
  },
  {
    name: 'show',
    summary: 'what the registry knows of a version, or its document',
    load: async () => (await import('./models-show.js')).show,
  },
];
