/** `elsewise schedule ...`: one row per subcommand. */
import type { CommandGroup } from '../../command.js';

export const schedule: CommandGroup = {
  about: 'Batches at fixed times, from files that workers find then.',
  commands: [
    {
      name: 'add',
      summary: 'a new schedule: when, which files, which model and policy',
      load: async () => (await import('./schedule-add.js')).add,
    },
    {
      name: 'list',
      summary: 'all schedules with their next and last runs',
      load: async () => (await import('./schedule-list.js')).list,
    },
    {
      name: 'show',
      summary: 'one schedule with its last runs, files and batches',
      load: async () => (await import('./schedule-show.js')).show,
    },
    {
      name: 'pause',
      summary: 'no more runs until it is resumed',
      load: async () => (await import('./schedule-control.js')).pause,
    },
    {
      name: 'resume',
      summary: 'go on with a paused schedule',
      load: async () => (await import('./schedule-control.js')).resume,
    },
    {
      name: 'run',
      summary: 'run it now, whatever its times are',
      load: async () => (await import('./schedule-control.js')).run,
    },
    {
      name: 'remove',
      summary: 'take it away; the batches that it made stay',
      load: async () => (await import('./schedule-control.js')).remove,
    },
  ],
};
