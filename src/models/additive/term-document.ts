/** The terms of an additive model in a document: the score of each bin, category or cell of a table. */
import { z } from 'zod';
import { listOf, recordOf } from '../../documents/collections.js';
import { bounded, vector } from '../../documents/numbers.js';

/** One score, or a score for each class. */
export const score = z.union([bounded, vector]);

/** A table over one to three features, and for several classes one level more. */
const row = listOf(score).min(1);
const sheet = listOf(z.union([bounded, row])).min(1);
const table = listOf(sheet).min(1);

const cuts = listOf(bounded).describe('The ends of the bins, ascending. n cuts make n + 1 bins.');
const comparison = z
  .enum(['<', '<='])
  .default('<')
  .describe('A value belongs to the bins before a cut where it is below (`<`), or at most (`<=`), the cut.');

const numberTerm = z.strictObject({
  feature: z.string().describe('The name of a number or a boolean.'),
  cuts,
  comparison,
  values: row.describe('The score of each bin.'),
  missing: score.optional().describe('The score of a missing value. Default: a missing value is invalid.'),
});

const categoryTerm = z.strictObject({
  feature: z.string().describe('The name of a categorical feature or a boolean.'),
  categories: recordOf(score).describe('The score of each category. A boolean has `true` and `false`.'),
  other: score.optional().describe('The score of all categories that are not named. Default: all have to be named.'),
  missing: score.optional().describe('The score of a missing value. Default: a missing value is invalid.'),
});

const axis = z
  .strictObject({
    cuts: cuts.optional().describe('For a number: the ends of the bins, ascending. n cuts make n + 1 bins.'),
    comparison,
    categories: listOf(z.string())
      .optional()
      .describe('For a categorical feature or a boolean: the categories in the order of the table.'),
    other: z
      .boolean()
      .default(false)
      .describe('Whether the table has one more entry, after the categories, for all categories that are not listed.'),
    missing: z
      .boolean()
      .default(false)
      .describe(
        'Whether the table has one more entry, the last, for a missing value. Otherwise a missing value is invalid.',
      ),
  })
  .refine((given) => (given.cuts === undefined) !== (given.categories === undefined), {
    path: ['cuts'],
    message: 'give "cuts" or "categories", one of them',
  });

const tableTerm = z.strictObject({
  features: listOf(z.string()).min(2).max(3).describe('The names of two or three features.'),
  axes: listOf(axis).min(2).max(3).describe('The bins of each feature.'),
  values: table.describe(
    'The scores: a list for each bin of the first feature, with an entry for each bin of the next.',
  ),
});

export const termSchema = z.union([numberTerm, categoryTerm, tableTerm]);

export type TermDocument = z.output<typeof termSchema>;
export type TableTermDocument = z.output<typeof tableTerm>;
export type AxisDocument = z.output<typeof axis>;
export type ScoreDocument = z.output<typeof score>;
/** A score, or a list of entries along an axis. */
export type TableEntry = number | readonly TableEntry[];
