/** `elsewise forget ID`: removes the stored data of a row. */
import { formatNumber } from '../../report/numbers.js';
import { thisUser } from '../../store/this-user.js';
import { defineCommand } from '../command.js';
import { printable } from '../printable.js';
import { STORE_OPTIONS, useStore } from '../store-options.js';

export const forget = defineCommand({
  usage: 'forget ID [--keep-record] [--redis URL]',
  about: `Removes everything that Redis holds of the rows with this id: answers, results in batches, requests, jobs, dead letters, and
known rows. In the record of answers the digest of each record stays in its place, and audit verify still holds. The
removal itself is on record, with a digest of the id (docs/privacy.md).

Rows without an id of their own have their number as id: forget 17 removes row 17 of every such batch. Files, such as
results and letters on disk, are not removed. The command prints all that was removed and all that stays.`,
  positionals: ['ID'],
  options: {
    'keep-record': { kind: 'flag', help: 'the record of answers stays, for a duty to keep it' },
    ...STORE_OPTIONS,
  },
  examples: [{ does: 'remove the data of a person', command: 'forget a-0017' }],
  run: ({ options, positionals: [id] }) =>
    useStore(options, async (store) => {
      const { forgetRow } = await import('../../jobs/forget/forget-row.js');
      const forgotten = await forgetRow(store, id, { by: thisUser(), keepsRecords: options['keep-record'] });
      const removed = forgotten.removed.filter(({ count }) => count > 0);
      for (const { place, count } of removed) print(`removed: ${formatNumber(count)} ${place}`);
      if (!removed.length) print(`nothing of "${id}" was stored`);
      for (const text of forgotten.remaining) print(`stays: ${text}`);
      print(`on record as the entry ${forgotten.entry}`);
      return 0;
    }),
});

const print = (line: string): void => void process.stdout.write(`${printable(line)}\n`);
