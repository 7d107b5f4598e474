/** `elsewise audit verify`: checks the chain of records, in Redis or in a file. */
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { openSource } from '../../../jobs/rows/streams.js';
import { formatCount, formatNumber } from '../../../report/numbers.js';
import type { ChainVerdict } from '../../../store/audit/chain-links.js';
import { verifyStored } from '../../../store/audit/verify-chain.js';
import { verifyExport } from '../../../store/audit/verify-export.js';
import { defineCommand } from '../../command.js';
import { printable } from '../../printable.js';
import { STORE_OPTIONS, useStore } from '../../store-options.js';

const BROKEN_EXIT_CODE = 1;

export const verify = defineCommand({
  usage: 'audit verify [FILE] [--head DIGEST] [--redis URL]',
  about: `Checks every digest and every link of the chain: in a file of \`audit export\`, without Redis; without a file, in Redis.
The first broken record is named. Exit code 1: the chain is broken, or the noted digest is not in it. A person who may
write to Redis can delete or write anew the whole record: only a digest that was noted elsewhere (--head) tells.

A file may begin in the middle of the chain, and the entry before its first entry is then named. Exit code 2: the file
has no records.`,
  options: {
    head: { kind: 'text', value: 'DIGEST', help: 'a digest of an entry that was noted before: the chain must have it' },
    ...STORE_OPTIONS,
  },
  positionals: ['[FILE]'],
  examples: [
    { does: 'the records in Redis', command: 'audit verify' },
    { does: 'an export', command: 'audit verify january.ndjson' },
  ],
  async run({ options, positionals: [file] }) {
    const verdict = file === undefined ? await ofStore(options) : await ofFile(file, options.head);
    process.stdout.write(describe(verdict, options.head));
    return verdict.fault === undefined && verdict.hasNoted ? 0 : BROKEN_EXIT_CODE;
  },
});

function ofStore(options: { redis: string | undefined; head: string | undefined }): Promise<ChainVerdict> {
  return useStore(options, ({ audit }) => verifyStored(audit, options.head));
}

async function ofFile(path: string, head: string | undefined): Promise<ChainVerdict> {
  const { bytes } = await openSource(path);
  const lines = createInterface({ input: Readable.from(bytes), crlfDelay: Number.POSITIVE_INFINITY });
  return verifyExport(lines, head, path);
}

function describe(verdict: ChainVerdict, noted?: string): string {
  const { entries, fault, dropped, hasNoted } = verdict;
  if (fault !== undefined)
    return `broken: ${printable(fault)}\n  ${formatCount(entries, 'entry', 'entries')} before it ${entries === 1 ? 'holds' : 'hold'}\n`;
  if (hasNoted) return `${describeWhole(verdict).join('\n  ')}\n`;
  const gone = dropped ? '\n  entries of dropped days are gone: a digest of them cannot be found' : '';
  return `broken: no entry has the digest ${noted}${gone}\n`;
}

function describeWhole({ entries, records, redacted, head, dropped, behind }: ChainVerdict): string[] {
  const gone = dropped ? `, behind ${formatCount(dropped, 'dropped day')}` : '';
  const lines = [
    `${formatCount(records, 'record')} in ${formatCount(entries, 'entry', 'entries')} ${records === 1 ? 'holds' : 'hold'}${gone}`,
  ];
  if (behind)
    lines.push(
      `begins behind entry ${formatNumber(behind.number)} (${behind.digest}): entries before are not in this file`,
    );
  if (redacted)
    lines.push(`${formatNumber(redacted)} redacted: their digests hold, and entries of the chain name them`);
  lines.push(head ? `the last entry is ${head}` : 'a record that was deleted as a whole looks the same: --head tells');
  return lines;
}
