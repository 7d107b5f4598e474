/** The comparison document `elsewise.comparison/v1`: the results of the same people under two models or policies, in figures and words. */
import { z } from 'zod';
import { listOf } from './collections.js';
import { finite } from './model-document.js';
import { resultSchema } from './result-document.js';
import {
  distributionSchema,
  GROUP_VALUES,
  medianSchema,
  rateSchema,
  summarySchema,
  testSchema,
} from './summary-document.js';

const count = z.int().min(0);
const share = finite.min(0).max(1);
const status = resultSchema.shape.status;

const costComparisonSchema = z.strictObject({
  comparable: z
    .boolean()
    .describe('Whether both sides measure costs alike. False: costs of the two sides are not compared.'),
  both: count.describe('The number of people with an answer on both sides. The other keys count these people.'),
  cheaper: rateSchema.describe('The people whose answer costs less on the second side.'),
  dearer: rateSchema.describe('The people whose answer costs more on the second side.'),
  same: count.describe('The people whose answers cost the same, up to rounding.'),
  difference: z
    .strictObject({
      p25: finite.describe('A quarter of the differences is at most this.'),
      median: finite.describe('The middle difference.'),
      p75: finite.describe('Three quarters of the differences are at most this.'),
    })
    .nullable()
    .describe(
      'The cost on the second side minus the cost on the first, person by person. Null: no person, or not comparable.',
    ),
  p: share
    .nullable()
    .describe(
      'The sign test: the chance of so uneven numbers of cheaper and dearer answers if neither were more likely. Null: not tested.',
    ),
});

const histogramSchema = z.strictObject({
  width: finite.describe('The width of a bin. The first bin begins at 0.'),
  before: listOf(count).describe('The number of costs of the first side by bin.'),
  after: listOf(count).describe('The number of costs of the second side by bin.'),
  aboveBefore: count.describe('The number of costs of the first side above the last bin.'),
  aboveAfter: count.describe('The number of costs of the second side above the last bin.'),
});

const groupSchema = z.strictObject({
  ...GROUP_VALUES,
  people: count.describe('The number of compared people.'),
  gained: rateSchema.describe('The people without an answer on the first side who have one on the second.'),
  lost: rateSchema.describe('The people with an answer on the first side who have none on the second.'),
  costBefore: medianSchema.nullable().describe('The cost on the first side. Null: no person has an answer.'),
  costAfter: medianSchema.nullable().describe('The cost on the second side. Null: no person has an answer.'),
  gainedAdjusted: share
    .nullable()
    .describe('The test of the share of gains against all other groups: `p` after Holm. Null: not tested.'),
});

const groupingSchema = z.strictObject({
  feature: z.string().describe('The name of the feature.'),
  kind: summarySchema.shape.groups.element.shape.kind.describe('As in `elsewise.summary/v1`.'),
  groups: listOf(groupSchema).describe('The groups that are large enough.'),
  suppressed: listOf(z.string()).describe('The names of groups without figures, as in `elsewise.summary/v1`.'),
  gainedTest: testSchema.describe('The test that the shares of gains do not differ between the groups.'),
});

const relaxationsSchema = z.strictObject({
  people: count.describe('The number of results with status `infeasible`.'),
  entries: listOf(
    z.strictObject({
      entry: z.string().describe('The entry of the policy.'),
      people: count.describe(
        'The people for whom the removal of this single entry gives the cheapest answer. The removal may help further people, whose cheapest answer needs another entry.',
      ),
      cost: distributionSchema.describe('The cost of these answers.'),
    }),
  ).describe('Most people first.'),
  noSingleEntry: count.describe('The people whom the removal of no single entry helps.'),
  undetermined: count.describe('The people for whom the budget ended before the decision.'),
});

export const comparisonSchema = z.strictObject({
  schema: z.literal('elsewise.comparison/v1').describe('The kind and version of the document.'),
  words: listOf(z.string()).describe('The comparison in sentences.'),
  change: z.string().describe('The second side in words.'),
  solved: z
    .enum(['all', 'without-answer'])
    .describe('The people who are compared: all, or those without an answer on the first side.'),
  read: z
    .strictObject({
      people: count.describe('The number of people on the first side.'),
      withoutAnswer: count.describe('The people without the target and without an answer.'),
      cost: distributionSchema.nullable().describe('The costs of the answers. Null: no person has an answer.'),
    })
    .describe('All results of the first side, also those of people who are not compared.'),
  sample: z
    .strictObject({
      people: count.describe('The number of people in the sample.'),
      of: count.describe('The number of people among whom the sample was drawn.'),
      seed: z.int().min(0).describe('The seed of the sample.'),
    })
    .nullable()
    .describe('The random sample that is compared. Null: nobody was left out.'),
  people: count.describe('The number of compared people.'),
  invalid: count.describe(
    'The compared people whose row is invalid on a side. No other figure of a comparison counts them.',
  ),
  before: summarySchema.describe('The first side: the figures of the compared people.'),
  after: summarySchema.describe('The second side: the figures of the compared people.'),
  transitions: listOf(
    z.strictObject({
      before: status.describe('The status on the first side.'),
      after: status.describe('The status on the second side.'),
      people: count.describe('The number of people.'),
    }),
  ).describe('The people by both statuses, most people first.'),
  gained: rateSchema.describe(
    'The people who have neither target nor answer on the first side, and have one of them on the second.',
  ),
  gainedProved: count.describe('Those of `gained` who were proved to have no answer on the first side.'),
  lost: rateSchema.describe('The people with target or answer on the first side, and with neither on the second.'),
  lostProved: count.describe('Those of `lost` who are proved to have no answer on the second side.'),
  answersTest: share
    .nullable()
    .describe(
      "McNemar's exact test of gains against losses: the chance of so uneven numbers if neither were more likely. Null: not all people are compared, or nobody gains or loses.",
    ),
  predictions: z
    .strictObject({
      same: count.describe('The people with the same prediction on both sides.'),
      differing: count.describe('The people with another prediction on the second side.'),
      pairs: listOf(
        z.strictObject({
          before: z.string().describe('The class on the first side.'),
          after: z.string().describe('The class on the second side.'),
          people: count.describe('The number of people.'),
        }),
      ).describe('The differing classes, most people first. Empty for regressors.'),
    })
    .describe('The predictions for the rows as they are.'),
  cost: costComparisonSchema.describe('The costs of people with an answer on both sides.'),
  costHistogram: histogramSchema.nullable().describe('The costs of both sides in common bins. Null: no answers.'),
  relaxations: relaxationsSchema.describe(
    'What the reasons of the first side say, without solving again. All results are counted.',
  ),
  smallestGroup: count.describe('The smallest number of people without an answer of a group with figures.'),
  groups: listOf(groupingSchema).describe('The figures by group, for each feature that was asked for.'),
});

export type ComparisonDocument = z.output<typeof comparisonSchema>;
export type ComparedGrouping = z.output<typeof groupingSchema>;
export type ComparedGroup = z.output<typeof groupSchema>;
