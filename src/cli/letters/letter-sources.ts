/** The documents and texts of a run of letters, from the options of the command. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ElsewiseError } from '../../documents/error.js';
import { checkFeatureLabels, checkKeys } from '../../documents/labels/check-labels.js';
import { type LabelsDocument, labelsSchema } from '../../documents/labels/label-document.js';
import { didYouMean, nameSome } from '../../documents/nearest-name.js';
import { parseDocument } from '../../documents/parse.js';
import type { LoadedModel } from '../../models/load.js';
import { HTML_TEMPLATE, TEXT_TEMPLATE } from '../../report/letters/default-templates.js';
import { type LetterForm, type LetterTemplate, parseTemplate } from '../../report/letters/letter-template.js';
import { readJson } from '../documents.js';

const FILES: Readonly<Record<LetterForm, string>> = { html: 'letter.html', text: 'letter.txt' };
const DEFAULTS: Readonly<Record<LetterForm, string>> = { html: HTML_TEMPLATE, text: TEXT_TEMPLATE };

/** A file that the folder does not have is replaced by the template of this program. */
export async function readTemplates(
  forms: readonly LetterForm[],
  folder: string | undefined,
): Promise<LetterTemplate[]> {
  const own = await Promise.all(forms.map((form) => readOwn(form, folder)));
  if (folder !== undefined && own.every((text) => text === undefined))
    throw new ElsewiseError(
      'usage',
      `--template ${folder}: has no ${forms.map((form) => FILES[form]).join(' and no ')}`,
    );
  return forms.map((form, k) => parseTemplate(own[k] ?? DEFAULTS[form], form, join(folder ?? '', FILES[form])));
}

async function readOwn(form: LetterForm, folder: string | undefined): Promise<string | undefined> {
  if (folder === undefined) return undefined;
  return readFile(join(folder, FILES[form]), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new ElsewiseError('usage', `--template ${folder}: ${error.message}`);
  });
}

export async function readLabels(path: string, { document, classes }: LoadedModel): Promise<LabelsDocument> {
  const labels = parseDocument(labelsSchema, await readJson(path, { root: 'labels' }), 'labels');
  checkKeys(labels, 'classLabels', classes, 'labels');
  for (const [name, names] of Object.entries(labels.features ?? {})) {
    const feature = document.features.find((candidate) => candidate.name === name);
    if (!feature)
      throw unknownFeature(
        name,
        document.features.map((known) => known.name),
      );
    checkFeatureLabels(names, feature, `labels.features.${name}`);
  }
  return labels;
}

function unknownFeature(name: string, known: readonly string[]): ElsewiseError {
  const hint = didYouMean(name, known) || `; known are ${nameSome(known)}`;
  return new ElsewiseError('bad-document', `the model has no feature "${name}"${hint}`, `labels.features.${name}`);
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** A date of the calendar. */
export function readDay(text: string | undefined, option: string): string | undefined {
  if (text === undefined) return undefined;
  const day = new Date(`${text}T00:00Z`);
  if (DAY.test(text) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)) return text;
  throw new ElsewiseError('usage', `${option}: expected a date such as 2026-12-31, got "${text}"`);
}
