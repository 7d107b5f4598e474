/** `elsewise dead list`: dead letters, latest first. Bodies are not shown, because they contain personal data. */
import { isMalformed, LETTER_SOURCES, type LetterEntry } from '../../../store/events/dead-store.js';
import { defineCommand } from '../../command.js';
import { printable } from '../../printable.js';
import { STORE_OPTIONS, useStore } from '../../store-options.js';
import { formatTable } from '../../table.js';

const HEADER = ['id', 'died', 'code', 'attempts', 'reason'];
const LIMIT = 100;
const MAX_REASON = 80;

export const list = defineCommand({
  usage: 'dead list [--source requests|events|bulk|schedule] [--limit N] [--json] [--redis URL]',
  about: `Lists dead letters, latest first: requests of the stream, jobs of the queue of events, chunks of batches and
broken jobs of schedules that were given up. docs/failures.md explains each code. An entry that is no dead letter
is listed as malformed, with the code damaged. Malformed entries can be shown and dropped.`,
  options: {
    source: { kind: 'choice', choices: LETTER_SOURCES, help: 'only letters from this source' },
    limit: { kind: 'whole', value: 'N', min: 1, help: `at most N letters (${LIMIT})` },
    json: { kind: 'flag', help: 'one line of JSON each, with bodies, for scripts' },
    ...STORE_OPTIONS,
  },
  examples: [
    { does: 'the latest letters', command: 'dead list --limit 10' },
    { does: 'count letters by code', command: 'dead list --limit 10000 --json | jq -r .code | sort | uniq -c' },
  ],
  run: ({ options }) =>
    useStore(options, async ({ dead }) => {
      const found: LetterEntry[] = [];
      for await (const letter of dead.list()) {
        if (options.source && (isMalformed(letter) || letter.source !== options.source)) continue;
        if (found.push(letter) >= (options.limit ?? LIMIT)) break;
      }
      process.stdout.write(options.json ? found.map((letter) => `${JSON.stringify(letter)}\n`).join('') : show(found));
      return 0;
    }),
});

function show(letters: readonly LetterEntry[]): string {
  return letters.length > 0 ? `${formatTable([HEADER, ...letters.map(describe)])}\n` : 'no dead letters\n';
}

function describe(letter: LetterEntry): string[] {
  const at = letter.at?.slice(0, 19) ?? '-';
  const [code, attempts, message] = isMalformed(letter)
    ? ['damaged', '-', `malformed: ${letter.fault}`]
    : [letter.code, String(letter.attempts), letter.message];
  const reason = message.split('\n', 1)[0].slice(0, MAX_REASON);
  return [letter.id, at, code, attempts, reason].map(printable);
}
