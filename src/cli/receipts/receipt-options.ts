/** The options of commands that sign receipts. */
import { config } from '../../config.js';
import { ElsewiseError } from '../../documents/error.js';
import { SOFTWARE } from '../../jobs/audit/software.js';
import { openKeyFile } from '../../receipts/key-file.js';
import { ReceiptIssuer } from '../../receipts/receipt-issuer.js';
import type { OptionTable, OptionValues } from '../options.js';

const MOST_DAYS = 36_500;

export const RECEIPT_OPTIONS = {
  keys: { kind: 'text', value: 'FILE', help: 'the file of keys, see receipts keys (receipts.keys)' },
  'valid-days': {
    kind: 'whole',
    value: 'N',
    min: 1,
    max: MOST_DAYS,
    help: 'the number of days that receipts hold (receipts.validDays)',
  },
} as const satisfies OptionTable;

/** The keys are read once: all receipts of a run have the same key. */
export async function openIssuer(options: OptionValues<typeof RECEIPT_OPTIONS>): Promise<ReceiptIssuer> {
  const { issuer, maxBytes, ...settings } = config.receipts;
  const file = options.keys ?? settings.keys;
  if (!file) throw new ElsewiseError('usage', '--keys FILE is missing: `elsewise receipts keys` makes the file');
  const keys = await openKeyFile(file, warn);
  const validDays = options['valid-days'] ?? settings.validDays;
  const terms = { issuer, maxBytes, validDays, software: SOFTWARE };
  if (!keys.signer) throw new ElsewiseError('usage', 'the first key has no private part and cannot sign', file);
  return new ReceiptIssuer(async () => keys, terms);
}

export const warn = (message: string): void => void process.stderr.write(`elsewise: ${message}\n`);
