/** `elsewise audit ...`: one row per subcommand. */
import type { CommandGroup } from '../../command.js';

export const audit: CommandGroup = {
  about: 'The record of answers that workers keep if `audit.enabled` is set: docs/record.md.',
  commands: [
    {
      name: 'show',
      summary: 'the records of one row',
      load: async () => (await import('./audit-show.js')).show,
    },
    {
      name: 'export',
      summary: 'write the records to a file',
      load: async () => (await import('./audit-export.js')).exported,
    },
    {
      name: 'verify',
      summary: 'check the chain of records, in Redis or in a file',
      load: async () => (await import('./audit-verify.js')).verify,
    },
  ],
};
