/** `elsewise receipts ...`: one row per subcommand. */
import type { CommandGroup } from '../../command.js';

export const receipts: CommandGroup = {
  about:
    'Signed receipts: the decision and the offers of a result, by which the operator stands until a date: docs/receipts.md.',
  commands: [
    {
      name: 'keys',
      summary: 'make or rotate the keys that sign receipts',
      load: async () => (await import('./receipts-keys.js')).keys,
    },
    {
      name: 'sign',
      summary: 'write a receipt for each result of a file',
      load: async () => (await import('./receipts-sign.js')).sign,
    },
    {
      name: 'check',
      summary: 'check receipts without a network',
      load: async () => (await import('./receipts-check.js')).check,
    },
  ],
};
