/** `elsewise dead drop ID|--all`: deletes letters that will not be replayed. */
import { formatNumber } from '../../../report/numbers.js';
import { defineCommand } from '../../command.js';
import { selectLetters } from '../../dead-selection.js';
import { STORE_OPTIONS, useStore } from '../../store-options.js';

export const drop = defineCommand({
  usage: 'dead drop ID | --all [--redis URL]',
  about: 'Deletes dead letters for good. Their requests stay unanswered.',
  options: { all: { kind: 'flag', help: 'every letter there is now' }, ...STORE_OPTIONS },
  positionals: ['[ID]'],
  examples: [{ does: 'a letter whose producer was corrected', command: 'dead drop requests-1768468482000-0' }],
  run: ({ options, positionals: [id] }) =>
    useStore(options, async ({ dead }) => {
      const letters = await selectLetters(dead, id, options.all);
      for (const letter of letters) await dead.drop(letter.id);
      process.stdout.write(`dropped ${formatNumber(letters.length)}\n`);
      return 0;
    }),
});
