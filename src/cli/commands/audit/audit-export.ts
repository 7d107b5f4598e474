/** `elsewise audit export`: the records of some days as NDJSON. */
import { ElsewiseError } from '../../../documents/error.js';
import { openSink } from '../../../jobs/rows/streams.js';
import { formatCount } from '../../../report/numbers.js';
import { exportedLines, recordsIn } from '../../../store/audit/audit-entry.js';
import { auditEntries } from '../../../store/audit/read-chain.js';
import { defineCommand } from '../../command.js';
import { STORE_OPTIONS, useStore } from '../../store-options.js';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

export const exported = defineCommand({
  usage: 'audit export --output FILE [--from DAY] [--to DAY] [--redis URL]',
  about: `Writes a line of NDJSON for each answer on record, in the order of the chain. \`audit verify FILE\` checks the file
without Redis. Note the digest that is printed: a later \`audit verify --head\` then proves that nothing before it changed.`,
  options: {
    output: { kind: 'text', value: 'FILE', required: true, help: 'NDJSON; - is standard output' },
    from: { kind: 'text', value: 'DAY', help: 'the first day, as 2026-01-31 (the first on record)' },
    to: { kind: 'text', value: 'DAY', help: 'the last day (today)' },
    ...STORE_OPTIONS,
  },
  examples: [
    {
      does: 'the records of a month',
      command: 'audit export --output january.ndjson --from 2026-01-01 --to 2026-01-31',
    },
  ],
  async run({ options }) {
    const { from, to, output } = options;
    for (const [name, day] of Object.entries({ from, to }))
      if (day !== undefined && !DAY.test(day))
        throw new ElsewiseError('usage', `--${name}: expected a day as 2026-01-31, got "${day}"`);
    return useStore(options, async ({ audit }) => {
      const sink = await openSink(output);
      let [records, head] = [0, ''];
      try {
        for await (const entry of auditEntries(audit, { from, to })) {
          await sink.write(Buffer.from([...exportedLines(entry), ''].join('\n')));
          records += recordsIn(entry.head);
          head = entry.digest;
        }
      } finally {
        await sink.close();
      }
      process.stderr.write(`${formatCount(records, 'record')}${head && `, the last entry is ${head}`}\n`);
      return 0;
    });
  },
});
