/** `elsewise batch retry ID`: retries the failed chunks. */
import { retryBatch } from '../../../jobs/batches/batch-control.js';
import { formatCount } from '../../../report/numbers.js';
import { logAction, REASON_OPTION } from '../../acting/logged-action.js';
import { defineCommand } from '../../command.js';
import { STORE_OPTIONS, useStore } from '../../store-options.js';

export const retry = defineCommand({
  usage: 'batch retry ID [--reason TEXT] [--redis URL]',
  about: `Puts the failed chunks of a batch into the queue again. Finished chunks stay as they are.`,
  options: { ...REASON_OPTION, ...STORE_OPTIONS },
  positionals: ['ID'],
  examples: [{ does: 'after the cause of the failure is gone', command: 'batch retry nightly-2026-01-15' }],
  run: ({ options, positionals: [id] }) =>
    useStore(options, async (store) => {
      const revived = await logAction(store, {
        ...{ action: 'retry-batch', target: id, reason: options.reason },
        work: () => retryBatch(store, id),
        tell: (chunks) => `chunks tried again: ${chunks}`,
      });
      process.stdout.write(`${id}: ${formatCount(revived, 'chunk')} ${revived === 1 ? 'is' : 'are'} tried again\n`);
      return 0;
    }),
});
