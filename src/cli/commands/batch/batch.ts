/** `elsewise batch ...`: one row per subcommand. */
import type { CommandGroup } from '../../command.js';

export const batch: CommandGroup = {
  about: 'Batches that `enqueue` made: list, progress, results, cancel and retry.',
  commands: [
    {
      name: 'list',
      summary: 'the stored batches, newest first',
      load: async () => (await import('./batch-list.js')).list,
    },
    {
      name: 'status',
      summary: 'progress of a batch, and its answers by status',
      load: async () => (await import('./batch-status.js')).status,
    },
    {
      name: 'wait',
      summary: 'write the results to a file, in input order, while they arrive',
      load: async () => (await import('./batch-wait.js')).wait,
    },
    {
      name: 'cancel',
      summary: 'take the rest of a batch out of the queue, and stop running chunks',
      load: async () => (await import('./batch-cancel.js')).cancel,
    },
    {
      name: 'retry',
      summary: 'try the failed chunks of a batch again',
      load: async () => (await import('./batch-retry.js')).retry,
    },
  ],
};
