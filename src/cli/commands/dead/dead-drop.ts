/** `elsewise dead drop ID|--all`: deletes letters that will not be replayed. */
import { formatNumber } from '../../../report/numbers.js';
import { selectLetters } from '../../acting/dead-selection.js';
import { logAction, REASON_OPTION } from '../../acting/logged-action.js';
import { defineCommand } from '../../command.js';
import { STORE_OPTIONS, useStore } from '../../store-options.js';

export const drop = defineCommand({
  usage: 'dead drop ID | --all [--reason TEXT] [--redis URL]',
  about: 'Deletes dead letters for good. Their requests stay unanswered.',
  options: { all: { kind: 'flag', help: 'every letter there is now' }, ...REASON_OPTION, ...STORE_OPTIONS },
  positionals: ['[ID]'],
  examples: [{ does: 'a letter whose producer was corrected', command: 'dead drop requests-1768468482000-0' }],
  run: ({ options, positionals: [id] }) =>
    useStore(options, async (store) => {
      const letters = await selectLetters(store.dead, id, options.all);
      await logAction(store, {
        ...{ action: 'drop-letters', target: id ?? 'all', reason: options.reason },
        work: async () => {
          for (const letter of letters) await store.dead.drop(letter.id);
        },
        tell: () => `dropped: ${letters.length}`,
      });
      process.stdout.write(`dropped ${formatNumber(letters.length)}\n`);
      return 0;
    }),
});
