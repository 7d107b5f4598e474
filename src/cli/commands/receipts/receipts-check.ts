/** `elsewise receipts check`: receipts against public keys, and one receipt against its row, model and policy. */
import { existsSync } from 'node:fs';
import { config } from '../../../config.js';
import { ElsewiseError } from '../../../documents/error.js';
import type { ReceiptDocument } from '../../../documents/receipt-document.js';
import { checkOffers, FITS, originFaults, rowFault } from '../../../receipts/check-offer.js';
import { checkReceipt, type ReceiptVerdict } from '../../../receipts/check-receipt.js';
import { wrapperFaults } from '../../../receipts/check-wrapper.js';
import { openKeyFile } from '../../../receipts/key-file.js';
import { formatNumber } from '../../../report/numbers.js';
import { defineCommand } from '../../command.js';
import { readModel } from '../../documents.js';
import type { OptionValues } from '../../options.js';
import { POLICY_OPTIONS, readPolicy } from '../../policy-options.js';
import { printable } from '../../printable.js';
import { describeReceipt } from '../../receipts/describe-receipt.js';
import { warn } from '../../receipts/receipt-options.js';
import { type FoundReceipt, readGivenRow, readReceipts } from '../../receipts/receipt-sources.js';
import { REGISTRY_REDIS } from '../../store-options.js';

const FAULTY_EXIT_CODE = 1;
/** Valid receipts that are listed. */
const MOST_LISTED = 100;

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
receipts sign, a file with a receipt on each line, or a letter; - is standard input. Each receipt is listed with the id and
the last day that are signed, at most ${MOST_LISTED} valid receipts. The id and the last day beside a receipt have to be the same.

--input compares the row of one receipt. --model and --policy compare the digests, and with --input the model scores the
row and each offer again and every entry of the policy is checked. Give the options of the run that made the result.

Exit code 1: a receipt is altered, expired, signed with an unknown key, or does not fit its line, row, model or policy.`,
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
    const found = existsSync(given) || given === '-' ? await readReceipts(given) : [readText(given)];
    const checked: CheckedReceipt[] = [];
    for (const one of found) checked.push(withWrapper(one, await checkReceipt(one.text, keys, terms)));
    return checked.length === 1 ? tellOne(checked[0], options) : tellMany(checked, options);
  },
});

interface CheckedReceipt extends ReceiptVerdict {
  readonly place: string;
  /** Differences between the line and the signed payload. */
  readonly wrong: readonly string[];
}

function withWrapper({ place, wrapper }: FoundReceipt, verdict: ReceiptVerdict): CheckedReceipt {
  const { receipt } = verdict;
  return { ...verdict, place, wrong: receipt && wrapper ? wrapperFaults(wrapper, receipt) : [] };
}

function readText(given: string): FoundReceipt {
  if (given.split('.').length === 3 && !given.includes('/')) return { text: given, place: 'receipt 1' };
  throw new ElsewiseError('usage', `there is no file "${given}", and the text is no receipt`);
}

/** A day (UTC), or a time with its zone: the zone of the machine decides nothing. */
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

function readTime(text: string | undefined): Date {
  if (text === undefined) return new Date();
  const [time, day] = [new Date(text), new Date(text.slice(0, 10))];
  const isDay = !Number.isNaN(day.getTime()) && text.startsWith(day.toISOString().slice(0, 10));
  if (TIME.test(text) && isDay && !Number.isNaN(time.getTime())) return time;
  throw new ElsewiseError(
    'usage',
    `--at: expected a day, or a time with its zone such as 2026-12-01T12:00:00Z, got "${text}"`,
  );
}

async function tellOne({ state, words, receipt, place, wrong }: CheckedReceipt, options: Given): Promise<number> {
  const { notes, faults: ofOthers } = receipt ? await compare(receipt, options) : NOTHING;
  const faults = [...wrong.map((fault) => `${place}: ${fault}`), ...ofOthers];
  for (const fault of faults) print(`wrong: ${fault}`);
  print(`${faults.length ? 'signature and dates: ' : ''}${state}: ${words}`);
  if (!receipt) return FAULTY_EXIT_CODE;
  for (const line of [...describeReceipt(receipt), ...notes]) print(`  ${line}`);
  return state === 'valid' && faults.length === 0 ? 0 : FAULTY_EXIT_CODE;
}

function tellMany(checked: readonly CheckedReceipt[], { input, model }: Given): number {
  if (input !== undefined || model !== undefined)
    throw new ElsewiseError('usage', `--input and --model are for one receipt, and these are ${checked.length}`);
  let valid = 0;
  for (const one of checked) {
    if (isGood(one)) valid++;
    if (!isGood(one) || valid <= MOST_LISTED) print(inOneLine(one));
  }
  if (valid > MOST_LISTED) print(`and ${formatNumber(valid - MOST_LISTED)} more valid`);
  const others = checked.length - valid;
  print(`${formatNumber(valid)} valid, ${formatNumber(others)} not valid`);
  return others ? FAULTY_EXIT_CODE : 0;
}

const isGood = ({ state, wrong }: CheckedReceipt): boolean => state === 'valid' && wrong.length === 0;

/** Id and date are those of the signed payload. */
function inOneLine({ place, receipt, state, words, wrong }: CheckedReceipt): string {
  const verdict = wrong.length ? `wrong: ${wrong.join('; ')}` : `${state}: ${words}`;
  return `${place}${receipt ? `, ${JSON.stringify(receipt.id)}` : ''}: ${verdict}`;
}

const print = (line: string): void => void process.stdout.write(`${printable(line).replaceAll('\n', ' ')}\n`);

interface Comparison {
  readonly notes: readonly string[];
  readonly faults: readonly string[];
}

const NOTHING: Comparison = { notes: [], faults: [] };

async function compare(receipt: ReceiptDocument, options: Given): Promise<Comparison> {
  const row = options.input === undefined ? undefined : await readGivenRow(options.input);
  if (options.model === undefined) {
    const fault = row && rowFault(receipt, row);
    const hint = '. Numbers as text, left-out values and another order of features have another digest: give --model';
    return { notes: row && !fault ? [FITS.row] : [], faults: fault ? [fault + hint] : [] };
  }
  const model = await readModel(options.model, options.redis);
  const policy = await readPolicy(options, model);
  const origin = originFaults(receipt, { model, policy });
  if (origin.length) return { notes: [], faults: origin };
  if (!row) return { notes: [`${FITS.origin}; --input checks the offers`], faults: [] };
  if (model.model.memory) return { notes: [], faults: [ELSEWHERE] };
  const { prepare } = await import('../../../explain/plan.js');
  const plan = await prepare(model, policy, { now: () => performance.now() });
  return checkOffers(receipt, row, plan);
}

const ELSEWHERE = 'the model is scored elsewhere, and the offers cannot be scored here: leave out --input';
