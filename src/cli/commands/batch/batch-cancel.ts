/** `elsewise batch cancel ID`: stops a batch. */
import { cancelBatch } from '../../../jobs/batches/batch-control.js';
import { formatNumber } from '../../../report/numbers.js';
import { defineCommand } from '../../command.js';
import { STORE_OPTIONS, useStore } from '../../store-options.js';

export const cancel = defineCommand({
  usage: 'batch cancel ID [--redis URL]',
  about: `Takes the waiting chunks of a batch out of the queue and stops the running chunks. Finished results
stay until they expire. A cancelled batch cannot be resumed. The same rows can be enqueued under another id.`,
  options: STORE_OPTIONS,
  positionals: ['ID'],
  examples: [{ does: 'stop a batch', command: 'batch cancel nightly-2026-01-15' }],
  run: ({ options, positionals: [id] }) =>
    useStore(options, async (store) => {
      const { outcome, dropped } = await cancelBatch(store, id);
      const words = outcome === 'done' ? 'was done already' : `cancelled, ${formatNumber(dropped)} chunks dropped`;
      process.stdout.write(`${id}: ${words}\n`);
      return 0;
    }),
});
