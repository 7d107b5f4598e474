/** `elsewise batch cancel ID`: stops a batch. */
import { type Cancelled, cancelBatch } from '../../../jobs/batches/batch-control.js';
import { formatCount } from '../../../report/numbers.js';
import { logAction, REASON_OPTION } from '../../acting/logged-action.js';
import { defineCommand } from '../../command.js';
import { STORE_OPTIONS, useStore } from '../../store-options.js';

export const cancel = defineCommand({
  usage: 'batch cancel ID [--reason TEXT] [--redis URL]',
  about: `Takes the waiting chunks of a batch out of the queue and stops the running chunks. Finished results
stay until they expire. A cancelled batch cannot be resumed. The same rows can be enqueued under another id.`,
  options: { ...REASON_OPTION, ...STORE_OPTIONS },
  positionals: ['ID'],
  examples: [{ does: 'stop a batch', command: 'batch cancel nightly-2026-01-15' }],
  run: ({ options, positionals: [id] }) =>
    useStore(options, async (store) => {
      const words = await logAction(store, {
        ...{ action: 'cancel-batch', target: id, reason: options.reason },
        work: async () => inWords(await cancelBatch(store, id)),
        tell: (text) => text,
      });
      process.stdout.write(`${id}: ${words}\n`);
      return 0;
    }),
});

const inWords = ({ outcome, dropped }: Cancelled): string =>
  outcome === 'done' ? 'was done already' : `cancelled, ${formatCount(dropped, 'chunk')} dropped`;
