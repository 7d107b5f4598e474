/** `elsewise dead ...`: one row per subcommand. */
import type { CommandGroup } from '../../command.js';

export const dead: CommandGroup = {
  about: 'Dead letters: requests and jobs that were given up. A letter stays until it is replayed, dropped or too old.',
  commands: [
    {
      name: 'list',
      summary: 'all dead letters, latest first',
      load: async () => (await import('./dead-list.js')).list,
    },
    {
      name: 'show',
      summary: 'one dead letter, with its request',
      load: async () => (await import('./dead-show.js')).show,
    },
    {
      name: 'replay',
      summary: 'put one or all dead letters back to their source',
      load: async () => (await import('./dead-replay.js')).replay,
    },
    {
      name: 'drop',
      summary: 'delete one or all dead letters',
      load: async () => (await import('./dead-drop.js')).drop,
    },
  ],
};
