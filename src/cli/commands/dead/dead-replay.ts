/** `elsewise dead replay ID|--all`: returns letters to their source after the cause is removed. */
import { isNotReplayable, LetterReplayer } from '../../../jobs/failures/dead-letters.js';
import { formatNumber } from '../../../report/numbers.js';
import type { LetterEntry } from '../../../store/events/dead-store.js';
import type { Store } from '../../../store/store.js';
import { selectLetters } from '../../acting/dead-selection.js';
import { logAction, REASON_OPTION } from '../../acting/logged-action.js';
import { defineCommand } from '../../command.js';
import { STORE_OPTIONS, useStore } from '../../store-options.js';

export const replay = defineCommand({
  usage: 'dead replay ID | --all [--reason TEXT] [--redis URL]',
  about: `Puts dead letters back to their source: the stream of requests, the queue of events, or the chunk of its
batch. Workers treat a replayed request like a new one. A request that fails again becomes a dead letter again.
No request is answered twice.`,
  options: {
    all: { kind: 'flag', help: 'every letter with its whole body; other letters stay' },
    ...REASON_OPTION,
    ...STORE_OPTIONS,
  },
  positionals: ['[ID]'],
  examples: [
    { does: 'one letter, after its model was pushed', command: 'dead replay requests-1768468482000-0' },
    { does: 'all letters', command: 'dead replay --all' },
  ],
  run: ({ options, positionals: [id] }) =>
    useStore(options, async (store) => {
      const letters = await selectLetters(store.dead, id, options.all);
      const left = await logAction(store, {
        ...{ action: 'replay-letters', target: id ?? 'all', reason: options.reason },
        work: () => replayAll(store, letters, options.all),
        tell: (stayed) => `replayed: ${letters.length - stayed} of ${letters.length}`,
      });
      process.stdout.write(
        `replayed ${formatNumber(letters.length - left)}${left ? `, ${formatNumber(left)} stay` : ''}\n`,
      );
      return 0;
    }),
});

/** Returns the number of letters that cannot be replayed. Without `isLenient` such a letter is an error. */
async function replayAll(store: Store, letters: readonly LetterEntry[], isLenient: boolean): Promise<number> {
  const replayer = new LetterReplayer(store);
  let left = 0;
  try {
    for (const letter of letters) {
      try {
        await replayer.replay(letter);
      } catch (error) {
        if (!isLenient || !isNotReplayable(error)) throw error;
        left++;
      }
    }
  } finally {
    await replayer.close();
  }
  return left;
}
