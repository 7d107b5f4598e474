/** From results to letters, one at a time, with a summary of the letters that were written and of the people without one. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ElsewiseError } from '../../documents/error.js';
import { nameSome } from '../../documents/nearest-name.js';
import type { ResultDocument } from '../../documents/result-document.js';
import { readResults } from '../../jobs/results/read-results.js';
import type { ByteSource } from '../../jobs/rows/streams.js';
import type { ReceiptIssuer } from '../../receipts/receipt-issuer.js';
import { composeLetter, wasRead } from '../../report/letters/compose-letter.js';
import type { LetterContext } from '../../report/letters/letter-context.js';
import { fillTemplate, type LetterTemplate } from '../../report/letters/letter-template.js';
import { formatNumber } from '../../report/numbers.js';
import { INTERRUPTED_EXIT_CODE } from '../interrupt.js';
import { printable } from '../printable.js';
import type { LetterFolder, WrittenLetter } from './letter-folder.js';

export interface LetterRun {
  readonly source: ByteSource;
  readonly context: LetterContext;
  readonly templates: readonly LetterTemplate[];
  /** The folder is opened with the first result: a refused file of results leaves no folder behind. */
  openFolder(): LetterFolder;
  readonly digests: { readonly model: string; readonly policy: string | undefined };
  /** Undefined: letters without receipts. */
  readonly receipts: { readonly issuer: ReceiptIssuer; readonly date: Date } | undefined;
  readonly signal: AbortSignal;
  readonly isQuiet: boolean;
}

const ALL_INVALID_EXIT_CODE = 4;
/** Signals are seen between these. */
const LETTERS_PER_TURN = 50;

/** Returns the exit code. */
export async function writeLetters(run: LetterRun): Promise<number> {
  const { source, signal, isQuiet } = run;
  const counts: LetterCounts = new Map();
  const unknown: UnknownPeople = { count: 0, ids: [] };
  let folder: LetterFolder | undefined;
  try {
    for await (const { result, line } of readResults(source)) {
      if (signal.aborted) break;
      checkOrigin(result, run, line);
      folder ??= run.openFolder();
      folder.add(result.id, result.status, line, await lettersOf(result, run));
      if (isUnknown(result)) addUnknown(unknown, result.id);
      else counts.set(result.status, (counts.get(result.status) ?? 0) + 1);
      if (line % LETTERS_PER_TURN === 0) await nextTurn();
    }
    folder ??= run.openFolder();
  } finally {
    folder?.close();
  }
  if (!isQuiet) process.stderr.write(`${describeLetters(counts, unknown)}\n${describeNames(run.context)}`);
  if (signal.aborted) return INTERRUPTED_EXIT_CODE;
  return counts.size === 1 && counts.has('invalid') && !unknown.count ? ALL_INVALID_EXIT_CODE : 0;
}

async function lettersOf(
  result: ResultDocument,
  { context, templates, receipts }: LetterRun,
): Promise<WrittenLetter[]> {
  if (!wasRead(result)) return [];
  const receipt = await receipts?.issuer.issue(result, receipts.date);
  const letter = composeLetter(result, context, receipt ?? undefined);
  return templates.map((template) => ({ form: template.form, content: fillTemplate(template, letter, context.words) }));
}

/** Thresholds, names and rules of another model or policy would be false statements. */
function checkOrigin({ model, policy }: ResultDocument, { digests, source }: LetterRun, line: number): void {
  const place = `${source.name}, line ${line}`;
  if (model.digest !== digests.model)
    throw new ElsewiseError(
      'bad-input',
      `the result is of another model: ${model.name} ${model.digest}, and --model is ${digests.model}. Names for people can be given with --labels`,
      place,
    );
  if (digests.policy !== undefined && policy.digest !== digests.policy)
    throw new ElsewiseError(
      'bad-input',
      `the result is of another policy: ${policy.name} ${policy.digest}, and --policy is ${digests.policy}. Options of explain such as --count and --region change the policy: put them into the file, or leave out --policy`,
      place,
    );
}

/** Results without the data of the person, such as those of rows whose thread was stopped. */
export interface UnknownPeople {
  count: number;
  /** The first ids. */
  readonly ids: string[];
}

/** More ids are only counted. */
const MOST_IDS = 10;

const isUnknown = (result: ResultDocument): boolean => result.status !== 'invalid' && !wasRead(result);

function addUnknown(unknown: UnknownPeople, id: string): void {
  unknown.count++;
  if (unknown.ids.length < MOST_IDS) unknown.ids.push(id);
}

export type LetterCounts = Map<ResultDocument['status'], number>;

const KINDS: Readonly<Record<Exclude<ResultDocument['status'], 'invalid'>, string>> = {
  found: 'with a change',
  already: 'with the target already',
  infeasible: 'with a proved "no change helps"',
  'not-found': 'without a known change',
};

/** `60 letters written: 25 with a change, 35 with the target already; 2 people without a letter: the row is invalid` */
export function describeLetters(counts: LetterCounts, unknown: UnknownPeople = { count: 0, ids: [] }): string {
  const kinds = Object.entries(KINDS).flatMap(([status, words]) => {
    const count = counts.get(status as keyof typeof KINDS) ?? 0;
    return count ? [{ count, words }] : [];
  });
  const written = kinds.reduce((sum, { count }) => sum + count, 0);
  const parts = kinds.map(({ count, words }) => `${formatNumber(count)} ${words}`).join(', ');
  const invalid = counts.get('invalid') ?? 0;
  const without = invalid ? `; ${people(invalid)} without a letter: the row is invalid` : '';
  return `${formatNumber(written)} ${written === 1 ? 'letter' : 'letters'} written${parts && ': '}${parts}${without}${describeUnknown(unknown)}`;
}

/** `; 2 results have no data of the person and no letter: ids a-17, a-18` */
function describeUnknown({ count, ids }: UnknownPeople): string {
  if (!count) return '';
  const more = count > ids.length ? ` and ${formatNumber(count - ids.length)} more` : '';
  const [has, id] = count === 1 ? ['result has', 'id'] : ['results have', 'ids'];
  return `; ${formatNumber(count)} ${has} no data of the person and no letter: ${id} ${ids.map(printable).join(', ')}${more}`;
}

/** English names in letters of another language are no fault, and easily overlooked. */
export function describeNames({ language, names }: Pick<LetterContext, 'language' | 'names'>): string {
  if (language === 'en' || !names.unnamed.length) return '';
  return `  names without a label are shown as they are: ${nameSome(names.unnamed)} (--labels, docs/letters.md)\n`;
}

const people = (count: number): string => `${formatNumber(count)} ${count === 1 ? 'person' : 'people'}`;
