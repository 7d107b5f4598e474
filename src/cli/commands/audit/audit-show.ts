/** `elsewise audit show ID`: the records of one row. */
import { ElsewiseError } from '../../../documents/error.js';
import { recordsOf } from '../../../store/audit/read-chain.js';
import { defineCommand } from '../../command.js';
import { STORE_OPTIONS, useStore } from '../../store-options.js';

export const show = defineCommand({
  usage: 'audit show ID [--redis URL]',
  about: `Prints the records of the row with this id, newest first. All stored days are searched.`,
  options: STORE_OPTIONS,
  positionals: ['ID'],
  examples: [{ does: 'who was told what, when, by which model', command: 'audit show a-0017' }],
  run: ({ options, positionals: [id] }) =>
    useStore(options, async (store) => {
      const records = await recordsOf(store.audit, id);
      if (!records.length) throw new ElsewiseError('not-known', `no record of a row "${id}" is stored`);
      for (const line of records) process.stdout.write(`${JSON.stringify(JSON.parse(line), null, 2)}\n`);
      return 0;
    }),
});
