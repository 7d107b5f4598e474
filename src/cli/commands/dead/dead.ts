/** `elsewise dead ...`: one row per subcommand. */
import type { CommandGroup } from '../../command.js';

export const dead: CommandGroup = {
  about:
    'Dead letters: requests and jobs that were given up, and why. They stay until they are replayed, dropped or too old.',
  commands: [
    { name: 'list', summary: 'all of them, latest first', load: async () => (await import('./dead-list.js')).list },
    {
      name: 'show',
      summary: 'one of them, with what was to be answered',
      load: async () => (await import('./dead-show.js')).show,
    },
    {
      name: 'replay',
      summary: 'put one or all back to where they came from',
      load: async () => (await import('./dead-replay.js')).replay,
    },
    {
      name: 'drop',
      summary: 'forget one or all of them',
      load: async () => (await import('./dead-drop.js')).drop,
    },
  ],
};
