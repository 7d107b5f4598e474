/** `elsewise letters`: a letter to each person of a file of results. */

import { ElsewiseError } from '../../documents/error.js';
import { LANGUAGES, type Language } from '../../documents/labels/label-document.js';
import { openResults } from '../../jobs/results/read-results.js';
import { thresholdsOf } from '../../models/decision/common-thresholds.js';
import { letterContext } from '../../report/letters/letter-context.js';
import type { LetterForm, LetterTemplate } from '../../report/letters/letter-template.js';
import { defineCommand } from '../command.js';
import { readModelToDescribe, readPolicyDocument, storeAt } from '../documents.js';
import { interruptSignal } from '../interrupt.js';
import { LetterFolder } from '../letters/letter-folder.js';
import { readDay, readLabels, readTemplates } from '../letters/letter-sources.js';
import { type LetterRun, writeLetters } from '../letters/write-letters.js';
import { openIssuer } from '../receipts/receipt-options.js';
import { MODEL_SOURCE, REGISTRY_REDIS } from '../store-options.js';

const FORMS: Readonly<Record<string, readonly LetterForm[]>> = {
  html: ['html'],
  text: ['text'],
  both: ['html', 'text'],
};

export const letters = defineCommand({
  usage: 'letters RESULTS --model FILE|REF --language en|de|fr --output FOLDER [OPTIONS]',
  about: `Writes a letter to each person of a file of results: the decision, the change that would have led to another
decision, other ways, the details that were used, and whom to ask for a review.

RESULTS is the NDJSON of explain or batch wait; - is standard input. An invalid row gets no letter. The folder gets a
file per person and form, and letters.ndjson with the id, the status and the files of each result (docs/letters.md).`,
  positionals: ['RESULTS'],
  options: {
    model: { ...MODEL_SOURCE, required: true },
    language: { kind: 'choice', choices: LANGUAGES, required: true, help: 'the language of the letters' },
    output: { kind: 'text', value: 'FOLDER', required: true, help: 'a new or an empty folder' },
    policy: {
      kind: 'text',
      value: 'FILE|REF',
      help: 'the policy of the results: letters then tell the numbers of its rules',
    },
    format: { kind: 'choice', choices: Object.keys(FORMS), help: 'files per person: html, text, or both (both)' },
    subject: { kind: 'text', value: 'TEXT', help: 'the title of the letters' },
    sender: { kind: 'text', value: 'TEXT', help: 'the name of the sender' },
    contact: { kind: 'text', value: 'TEXT', help: 'whom to ask for a review: a name, an address, a telephone number' },
    date: { kind: 'text', value: 'DATE', help: 'the date of the letters: 2026-12-01 (none)' },
    'valid-until': { kind: 'text', value: 'DATE', help: 'the last day on which the information holds (none)' },
    keys: {
      kind: 'text',
      value: 'FILE',
      help: 'the keys of receipts: each letter carries a signed receipt (docs/receipts.md)',
    },
    'valid-days': {
      kind: 'whole',
      value: 'N',
      min: 1,
      max: 36_500,
      help: 'the number of days that receipts hold; needs --keys (receipts.validDays)',
    },
    labels: {
      kind: 'text',
      value: 'FILE',
      help: 'names of features, categories and classes, and their translations;\nthey replace names of the model document',
    },
    template: {
      kind: 'text',
      value: 'FOLDER',
      help: 'own templates: letter.html, letter.txt, or one of them',
    },
    quiet: { kind: 'flag', help: 'no summary' },
    redis: REGISTRY_REDIS,
  },
  examples: [
    {
      does: 'letters in German as web pages and as text',
      command: 'letters results.ndjson --model model.json --policy policy.json --language de --output letters',
    },
    {
      does: 'whom to ask, and for how long the letters hold',
      command:
        'letters results.ndjson --model model.json --language en --output letters --contact "Ms Adeyemi, 555 0100" --valid-until 2026-12-31',
    },
    {
      does: 'letters with signed receipts that hold for 30 days',
      command:
        'letters results.ndjson --model model.json --language en --output letters --keys keys.json --valid-days 30',
    },
    {
      does: 'own templates, and names from a file of labels',
      command:
        'letters results.ndjson --model model.json --language fr --output letters --template templates --labels labels.json',
    },
  ],
  async run({ positionals: [results], options }) {
    const templates = await readTemplates(FORMS[options.format ?? 'both'], options.template);
    const { subject, sender, contact } = options;
    const validUntil = readDay(options['valid-until'], '--valid-until');
    const details = { subject, sender, contact, date: readDay(options.date, '--date'), validUntil };
    const receipts = await receiptsOf(options, templates);
    const source = await openResults(results);
    const model = await readModelToDescribe(options.model, options.redis);
    const policy =
      options.policy === undefined ? undefined : await readPolicyDocument(options.policy, storeAt(options.redis));
    const labels = options.labels === undefined ? undefined : await readLabels(options.labels, model);
    const language = options.language as Language;
    const context = letterContext({
      ...{ language, labels, details, model: model.document, thresholds: thresholdsOf(model) },
      policy: policy?.document,
    });
    const openFolder = () => new LetterFolder(options.output);
    const digests = { model: model.digest, policy: policy?.digest };
    return writeLetters({
      source,
      context,
      templates,
      openFolder,
      digests,
      receipts,
      signal: interruptSignal(),
      isQuiet: options.quiet,
    });
  },
});

interface ReceiptOptions {
  readonly keys: string | undefined;
  readonly 'valid-days': number | undefined;
  readonly 'valid-until': string | undefined;
  readonly date: string | undefined;
}

/** Receipts are issued on the date of the letters, or now. */
async function receiptsOf(
  options: ReceiptOptions,
  templates: readonly LetterTemplate[],
): Promise<LetterRun['receipts']> {
  const { keys, date } = options;
  if (keys === undefined && options['valid-days'] !== undefined)
    throw new ElsewiseError('usage', '--valid-days needs --keys FILE: only receipts have a number of days');
  if (keys === undefined) return undefined;
  if (options['valid-until'] !== undefined)
    throw new ElsewiseError('usage', '--valid-until and --keys exclude each other: --valid-days gives the last day');
  if (templates.some(({ parts }) => !parts.includes('validity')))
    throw new ElsewiseError(
      'bad-document',
      'the placeholder {{validity}} is missing: the receipt stands there',
      '--template',
    );
  const issuer = await openIssuer(options);
  return { issuer, date: date === undefined ? new Date() : new Date(`${date}T00:00Z`) };
}
