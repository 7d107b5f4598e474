/** The letter about one result, composed in a thread that has the model. The same words as those of the command line. */
import { ElsewiseError } from '../documents/error.js';
import type { Language } from '../documents/labels/label-document.js';
import type { PolicyDocument } from '../documents/policy-document.js';
import type { ResultDocument } from '../documents/result-document.js';
import { thresholdsOf } from '../models/decision/common-thresholds.js';
import type { LoadedModel } from '../models/load.js';
import { composeLetter, wasRead } from '../report/letters/compose-letter.js';
import { HTML_TEMPLATE, TEXT_TEMPLATE } from '../report/letters/default-templates.js';
import { type LetterDetails, letterContext } from '../report/letters/letter-context.js';
import { fillTemplate, type LetterForm, parseTemplate } from '../report/letters/letter-template.js';

export interface LetterWish {
  readonly result: ResultDocument;
  readonly language: Language;
  readonly form: LetterForm;
  /** The policy of the result. Omitted: rules are told without their numbers. */
  readonly policy?: PolicyDocument;
  readonly details: LetterDetails;
}

const TEMPLATES: Readonly<Record<LetterForm, string>> = { html: HTML_TEMPLATE, text: TEXT_TEMPLATE };

export function writeLetter(
  { result, form, ...sources }: LetterWish,
  model: Pick<LoadedModel, 'document' | 'model' | 'segments'>,
): string {
  if (!wasRead(result))
    throw new ElsewiseError(
      'conflict',
      `the result of the row "${result.id}" has no data of the person (status ${result.status}): no letter can tell anything`,
    );
  const context = letterContext({ ...sources, model: model.document, thresholds: thresholdsOf(model) });
  return fillTemplate(parseTemplate(TEMPLATES[form], form, ''), composeLetter(result, context), context.words);
}
