/** `elsewise schedule ...`: one row per subcommand. */
import type { CommandGroup } from '../../command.js';

export const schedule: CommandGroup = {
  about: 'Batches at fixed times, from files that workers find at that time.',
  commands: [
    {
      name: 'add',
      summary: 'add a schedule: times, files, model and policy',
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
      summary: 'stop runs until the schedule is resumed',
      load: async () => (await import('./schedule-control.js')).pause,
    },
    {
      name: 'resume',
      summary: 'continue a paused schedule',
      load: async () => (await import('./schedule-control.js')).resume,
    },
    {
      name: 'run',
      summary: 'run a schedule now',
      load: async () => (await import('./schedule-control.js')).run,
    },
    {
      name: 'remove',
      summary: 'remove a schedule; its batches stay',
      load: async () => (await import('./schedule-control.js')).remove,
    },
  ],
};
