/** `elsewise receipts check`: receipts against public keys, and one receipt against its row, model and policy. */
import { existsSync } from 'node:fs';
import { config } from '../../../config.js';
import { ElsewiseError } from '../../../documents/error.js';
import type { ReceiptDocument } from '../../../documents/receipt-document.js';
import { FITS, offerFaults, originFaults, rowFault } from '../../../receipts/check-offer.js';
import { checkReceipt, type ReceiptVerdict } from '../../../receipts/check-receipt.js';
import { openKeyFile } from '../../../receipts/key-file.js';
import { formatNumber } from '../../../report/numbers.js';
import { defineCommand } from '../../command.js';
import { readModel } from '../../documents.js';
import type { OptionValues } from '../../options.js';
import { POLICY_OPTIONS, readPolicy } from '../../policy-options.js';
import { printable } from '../../printable.js';
import { describeReceipt } from '../../receipts/describe-receipt.js';
import { warn } from '../../receipts/receipt-options.js';
import { readGivenRow, readReceipts } from '../../receipts/receipt-sources.js';
import { REGISTRY_REDIS } from '../../store-options.js';

const FAULTY_EXIT_CODE = 1;

const OPTIONS = {
  keys: { kind: 'text', value: 'FILE', required: true, help: 'the public keys: a JSON Web Key Set' },
  input: { kind: 'text', value: 'FILE', help: 'the row of the receipt, as JSON: {"features": {...}}' },
  at: { kind: 'text', value: 'TIME', help: 'the time of the check, as 2026-12-01T12:00:00Z (now)' },
  model: { kind: 'text', value: 'FILE|REF', help: 'the model of the receipt: its digest, and with --input its scores' },
  ...POLICY_OPTIONS,
  redis: REGISTRY_REDIS,
} as const;
type Given = OptionValues<typeof OPTIONS>;

export const check = defineCommand({
  usage: 'receipts check RECEIPT|FILE --keys FILE [--input FILE] [--model FILE|REF --policy FILE|REF]',
  about: `Checks receipts without a network: the signature, the dates, and whether the text is unchanged. FILE is the output of
receipts sign, a file with a receipt on each line, or a letter; - is standard input.

--input compares the row of one receipt. --model and --policy compare the digests, and with --input the model scores the
row and each offer again and every entry of the policy is checked. Give the options of the run that made the result.

Exit code 1: a receipt is altered, expired, signed with an unknown key, or does not fit its row, model or policy.`,
  positionals: ['RECEIPT|FILE'],
  options: OPTIONS,
  examples: [
    { does: 'a file of receipts', command: 'receipts check receipts.ndjson --keys jwks.json' },
    {
      does: 'one receipt with its row, model and policy',
      command: 'receipts check receipt.txt --keys jwks.json --input row.json --model model.json --policy policy.json',
    },
  ],
  async run({ options, positionals: [given] }) {
    if (options.policy !== undefined && options.model === undefined)
      throw new ElsewiseError('usage', '--policy needs --model');
    const { maxBytes } = config.receipts;
    const terms = { now: readTime(options.at), maxBytes };
    const keys = await openKeyFile(options.keys, warn);
    const texts = existsSync(given) || given === '-' ? await readReceipts(given) : [readText(given)];
    const verdicts: ReceiptVerdict[] = [];
    for (const text of texts) verdicts.push(await checkReceipt(text, keys, terms));
    return verdicts.length === 1 ? tellOne(verdicts[0], options) : tellMany(verdicts, options);
  },
});

function readText(given: string): string {
  if (given.split('.').length === 3 && !given.includes('/')) return given;
  throw new ElsewiseError('usage', `there is no file "${given}", and the text is no receipt`);
}

function readTime(text: string | undefined): Date {
  const time = text === undefined ? new Date() : new Date(text);
  if (!Number.isNaN(time.getTime())) return time;
  throw new ElsewiseError('usage', `--at: expected a time such as 2026-12-01T12:00:00Z, got "${text}"`);
}

async function tellOne({ state, words, receipt }: ReceiptVerdict, options: Given): Promise<number> {
  print(`${state}: ${words}`);
  if (!receipt) return FAULTY_EXIT_CODE;
  const { notes, faults } = await compare(receipt, options);
  for (const line of [...describeReceipt(receipt), ...notes]) print(`  ${line}`);
  for (const fault of faults) print(`wrong: ${fault}`);
  return state === 'valid' && faults.length === 0 ? 0 : FAULTY_EXIT_CODE;
}

function tellMany(verdicts: readonly ReceiptVerdict[], { input, model }: Given): number {
  if (input !== undefined || model !== undefined)
    throw new ElsewiseError('usage', `--input and --model are for one receipt, and these are ${verdicts.length}`);
  const bad = verdicts.flatMap((verdict, k) => (verdict.state === 'valid' ? [] : [{ ...verdict, line: k + 1 }]));
  for (const { line, receipt, state, words } of bad)
    print(`receipt ${line}${receipt ? `, "${receipt.id}"` : ''}: ${state}: ${words}`);
  print(`${formatNumber(verdicts.length - bad.length)} valid, ${formatNumber(bad.length)} not valid`);
  return bad.length ? FAULTY_EXIT_CODE : 0;
}

const print = (line: string): void => void process.stdout.write(`${printable(line).replaceAll('\n', ' ')}\n`);

interface Comparison {
  readonly notes: readonly string[];
  readonly faults: readonly string[];
}

async function compare(receipt: ReceiptDocument, options: Given): Promise<Comparison> {
  const row = options.input === undefined ? undefined : await readGivenRow(options.input);
  if (options.model === undefined) {
    const fault = row && rowFault(receipt, row);
    const hint = '. Numbers as text, left-out values and another order of features have another digest: give --model';
    return { notes: row && !fault ? [FITS.row] : [], faults: fault ? [fault + hint] : [] };
  }
  const model = await readModel(options.model, options.redis);
  const policy = await readPolicy(options, model);
  const origin = originFaults(receipt, { model: model.digest, policy: policy.digest });
  if (origin.length) return { notes: [], faults: origin };
  if (!row) return { notes: [`${FITS.origin}; --input checks the offers`], faults: [] };
  if (model.model.memory) return { notes: [], faults: [ELSEWHERE] };
  const { prepare } = await import('../../../explain/plan.js');
  const plan = await prepare(model, policy, { now: () => performance.now() });
  const faults = offerFaults(receipt, row, plan);
  return { notes: faults.length ? [] : [FITS.row, FITS.offers], faults };
}

const ELSEWHERE = 'the model is scored elsewhere, and the offers cannot be scored here: leave out --input';
