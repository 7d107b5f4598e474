/** `elsewise receipts sign`: a receipt for each result of a file. */
import { openResults, readResults } from '../../../jobs/results/read-results.js';
import { openSink } from '../../../jobs/rows/streams.js';
import { formatNumber } from '../../../report/numbers.js';
import { defineCommand } from '../../command.js';
import { openIssuer, RECEIPT_OPTIONS } from '../../receipts/receipt-options.js';

export const sign = defineCommand({
  usage: 'receipts sign RESULTS --keys FILE --output FILE [--valid-days N]',
  about: `Writes a line of NDJSON with a signed receipt for each result. A receipt has the decision and the offers of a result and
holds until the end of a day (UTC). An invalid row gets no receipt.

RESULTS is the NDJSON of explain or batch wait; - is standard input. The command signs what the file says: run
elsewise verify before, if others could write to the file.`,
  positionals: ['RESULTS'],
  options: {
    ...RECEIPT_OPTIONS,
    output: { kind: 'text', value: 'FILE', required: true, help: 'NDJSON; - is standard output' },
    quiet: { kind: 'flag', help: 'no summary' },
  },
  examples: [
    {
      does: 'receipts that hold for 30 days',
      command: 'receipts sign results.ndjson --keys keys.json --valid-days 30 --output receipts.ndjson',
    },
  ],
  async run({ options, positionals: [results] }) {
    const issuer = await openIssuer(options);
    const source = await openResults(results);
    const now = new Date();
    const sink = await openSink(options.output);
    const counts = { signed: 0, invalid: 0 };
    try {
      for await (const { result } of readResults(source)) {
        const signed = await issuer.issue(result, now);
        if (signed) await sink.write(Buffer.from(`${JSON.stringify(signed)}\n`));
        counts[signed ? 'signed' : 'invalid']++;
      }
    } finally {
      await sink.close();
    }
    if (!options.quiet) process.stderr.write(describe(counts));
    return 0;
  },
});

function describe({ signed, invalid }: { signed: number; invalid: number }): string {
  const without = invalid ? `; ${formatNumber(invalid)} invalid ${invalid === 1 ? 'row has' : 'rows have'} none` : '';
  return `${formatNumber(signed)} ${signed === 1 ? 'receipt' : 'receipts'}${without}\n`;
}
