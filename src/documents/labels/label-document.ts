/**
 * Names for people, in the languages of letters. A model document has names beside its features and classes. A document of labels,
 * `elsewise.labels/v1`, has the same names apart from the model. Names never change a score.
 */
import { z } from 'zod';
import { recordOf } from '../collections.js';

/** The languages of letters. */
export const LANGUAGES = ['en', 'de', 'fr'] as const;
export type Language = (typeof LANGUAGES)[number];

const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', de: 'German', fr: 'French' };

const names = recordOf(z.string());

const label = z.string().optional().describe('A name for people. Default: `name`.');
const unit = z.string().optional().describe('The unit of the numbers, for people.');
const unitForms = z.strictObject({
  one: z.string().describe('The unit of one: `month`.'),
  other: z.string().describe('The unit of other numbers: `months`.'),
  dative: z
    .string()
    .optional()
    .describe('The unit of other numbers after `von`, in German: `Monaten`. Default: `other`.'),
});
const unitInLetters = z
  .union([z.string(), unitForms])
  .optional()
  .describe(
    'The unit of the numbers in letters: a text for all numbers, or an object with its forms. Letters know the forms of years, months, weeks, days, hours and points in their language.',
  );
const categoryLabels = names
  .optional()
  .describe('Names of the categories for people, by category. Default: the category.');
const classLabels = names.optional().describe('Names of the classes for people, by class. Default: the class.');

/** The same names in other languages. */
function inLanguages<T extends z.ZodType>(shape: T) {
  const keyOf = (language: Language) => shape.optional().describe(`The names in ${LANGUAGE_NAMES[language]}.`);
  return z
    .strictObject({ en: keyOf('en'), de: keyOf('de'), fr: keyOf('fr') })
    .optional()
    .describe('The same names by language, for letters. Default: the names beside this key, in every language.');
}

const plainNames = { label, unit: unitInLetters };
const categoryNames = { ...plainNames, categoryLabels };
const inAllLanguages = inLanguages(z.strictObject(categoryNames));

/** The keys of a feature of a model that is a number or a boolean. */
export const featureLabels = { label, unit, translations: inLanguages(z.strictObject(plainNames)) };
/** The keys of a categorical feature of a model. */
export const categoricalLabels = { label, unit, categoryLabels, translations: inAllLanguages };
/** The keys of a model. */
export const modelLabels = { classLabels, translations: inLanguages(z.strictObject({ classLabels })) };

export const labelsSchema = z.strictObject({
  schema: z.literal('elsewise.labels/v1').describe('The kind and version of the document.'),
  features: recordOf(z.strictObject({ ...categoryNames, translations: inAllLanguages }))
    .optional()
    .describe('Names by feature. These names take precedence over the names of the model document.'),
  ...modelLabels,
});

export type LabelsDocument = z.output<typeof labelsSchema>;
/** A unit as one text, or with its forms. */
export type UnitForms = z.output<typeof unitForms>;
export type FeatureLabels = NonNullable<LabelsDocument['features']>[string];
export type ModelLabels = Pick<LabelsDocument, 'classLabels' | 'translations'>;
