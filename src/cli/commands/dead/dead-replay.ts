/** `elsewise dead replay ID|--all`: returns letters to their source after the cause is removed. */
import { ElsewiseError } from '../../../documents/error.js';
import { replayLetter } from '../../../jobs/failures/dead-letters.js';
import { formatNumber } from '../../../report/numbers.js';
import type { LetterEntry } from '../../../store/events/dead-store.js';
import type { Store } from '../../../store/store.js';
import { defineCommand } from '../../command.js';
import { selectLetters } from '../../dead-selection.js';
import { STORE_OPTIONS, useStore } from '../../store-options.js';

export const replay = defineCommand({
  usage: 'dead replay ID | --all [--redis URL]',
  about: `Puts dead letters back to their source: the stream of requests, the queue of events, or the chunk of its
batch. Workers treat a replayed request like a new one. A request that fails again becomes a dead letter again.
No request is answered twice.`,
  options: { all: { kind: 'flag', help: 'every letter with its whole body; other letters stay' }, ...STORE_OPTIONS },
  positionals: ['[ID]'],
  examples: [
    { does: 'one letter, after its model was pushed', command: 'dead replay requests-1768468482000-0' },
    { does: 'all letters', command: 'dead replay --all' },
  ],
  run: ({ options, positionals: [id] }) =>
    useStore(options, async (store) => {
      const letters = await selectLetters(store.dead, id, options.all);
      if (!options.all) await replayLetter(store, letters[0]);
      const left = options.all ? await replayAll(store, letters) : 0;
      process.stdout.write(
        `replayed ${formatNumber(letters.length - left)}${left ? `, ${formatNumber(left)} stay` : ''}\n`,
      );
      return 0;
    }),
});

/** Returns the number of letters that cannot be replayed. */
async function replayAll(store: Store, letters: readonly LetterEntry[]): Promise<number> {
  let left = 0;
  for (const letter of letters) {
    try {
      await replayLetter(store, letter);
    } catch (error) {
      if (!(error instanceof ElsewiseError) || error.code !== 'unsupported') throw error;
      left++;
    }
  }
  return left;
}
