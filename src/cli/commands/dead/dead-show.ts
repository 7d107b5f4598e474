/** `elsewise dead show ID`: one dead letter with its request and the meaning of its code. */
import { FAILURES, type FailureCode } from '../../../jobs/failures/failures.js';
import { isMalformed, type Letter, type LetterEntry, type MalformedLetter } from '../../../store/events/dead-store.js';
import { defineCommand } from '../../command.js';
import { printable } from '../../printable.js';
import { STORE_OPTIONS, useStore } from '../../store-options.js';
import { formatTable } from '../../table.js';

export const show = defineCommand({
  usage: 'dead show ID [--json] [--redis URL]',
  about: 'Shows a dead letter: its source, the reason, the advice, and the request.',
  options: { json: { kind: 'flag', help: 'as one line of JSON, for scripts' }, ...STORE_OPTIONS },
  positionals: ['ID'],
  examples: [{ does: 'show the reason', command: 'dead show requests-1768468482000-0' }],
  async run({ options, positionals: [id] }) {
    const letter = await useStore(options, ({ dead }) => dead.read(id));
    process.stdout.write(options.json ? `${JSON.stringify(letter)}\n` : `${describe(letter)}\n`);
    return 0;
  },
});

function describe(letter: LetterEntry): string {
  return printable(isMalformed(letter) ? describeMalformed(letter) : describeLetter(letter));
}

function describeMalformed({ id, at, fault, text }: MalformedLetter): string {
  const code = `damaged: ${FAILURES.damaged.meaning}`;
  const rows = [
    ['id', id],
    ['died', at ?? '-'],
    ['code', code],
    ['reason', `malformed: ${fault.replaceAll('\n', '; ')}`],
    ['to do', 'Find out who wrote it; it cannot be replayed, only dropped.'],
  ];
  return `${formatTable(rows)}\n${text}`;
}

function describeLetter({ id, source, at, attempts, code, message, body, isCut }: Letter): string {
  const failure = Object.hasOwn(FAILURES, code) ? FAILURES[code as FailureCode] : undefined;
  const rows = [
    ['id', id],
    ['from', source],
    ['died', at],
    ['attempts', String(attempts)],
    ['code', failure ? `${code}: ${failure.meaning}` : code],
    ['reason', message.replaceAll('\n', '; ')],
    ['to do', failure?.operator ?? ''],
    ['body', isCut ? 'only its beginning was kept' : ''],
  ];
  return `${formatTable(rows)}\n${body ?? '(none)'}`;
}
