/** `elsewise batch ...`: one row per subcommand. */
import type { CommandGroup } from '../command.js';

export const batch: CommandGroup = {
  about: 'Batches that `enqueue` made: how far they are, and their results.',
  commands: [
    {
      name: 'status',
      summary: 'how far a batch is, and its answers by status',
      load: async () => (await import('./batch-status.js')).status,
    },
    {
      name: 'wait',
      summary: 'write the results to a file, in input order, while they arrive',
      load: async () => (await import('./batch-wait.js')).wait,
    },
  ],
};
