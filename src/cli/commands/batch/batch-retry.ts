/** `elsewise batch retry ID`: retries the failed chunks. */
import { retryBatch } from '../../../jobs/batches/batch-control.js';
import { formatNumber } from '../../../report/numbers.js';
import { defineCommand } from '../../command.js';
import { STORE_OPTIONS, useStore } from '../../store-options.js';

export const retry = defineCommand({
  usage: 'batch retry ID [--redis URL]',
  about: `Puts the failed chunks of a batch into the queue again. Finished chunks stay as they are.`,
  options: STORE_OPTIONS,
  positionals: ['ID'],
  examples: [{ does: 'after the cause of the failure is gone', command: 'batch retry nightly-2026-01-15' }],
  run: ({ options, positionals: [id] }) =>
    useStore(options, async (store) => {
      const revived = await retryBatch(store, id);
      process.stdout.write(`${id}: ${formatNumber(revived)} chunks are tried again\n`);
      return 0;
    }),
});
