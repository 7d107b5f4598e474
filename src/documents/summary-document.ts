/** The summary document `elsewise.summary/v1`: the results of many people in figures, of a size that does not grow with their number. */
import { z } from 'zod';
import { listOf, recordOf } from './collections.js';
import { finite, rowValue } from './model-document.js';
import { targetSchema } from './policy-document.js';
import { resultSchema } from './result-document.js';

const count = z.int().min(0);
const share = finite.min(0).max(1);

export const rateSchema = z.strictObject({
  people: count.describe('The number of people.'),
  of: count.describe('The number of people among whom they were counted.'),
  share: share.describe('`people` / `of`.'),
  low: share.describe('The lower end of the interval of 95 % confidence, by Wilson.'),
  high: share.describe('The upper end of the interval.'),
});

export const distributionSchema = z.strictObject({
  count: count.describe('The number of values.'),
  min: finite.describe('The lowest value.'),
  p10: finite.describe('A tenth of the values is at most this.'),
  p25: finite.describe('A quarter of the values is at most this.'),
  median: finite.describe('The middle value.'),
  p75: finite.describe('Three quarters of the values are at most this.'),
  p90: finite.describe('Nine tenths of the values are at most this.'),
  max: finite.describe('The highest value.'),
  error: finite.describe('The largest relative error of these values. `min` and `max` are exact.'),
});

export const medianSchema = z.strictObject({
  median: finite.describe('The middle value.'),
  low: finite
    .nullable()
    .describe('The lower end of the interval of 95 % confidence, by order statistics. Null: fewer than 6 values.'),
  high: finite.nullable().describe('The upper end of the interval.'),
});

const histogramSchema = z.strictObject({
  width: finite.describe('The width of a bin. The first bin begins at 0.'),
  counts: listOf(count).describe('The number of values by bin.'),
  above: count.describe('The number of values above the last bin.'),
});

const changeSchema = z.strictObject({
  feature: z.string().describe('The name of the feature.'),
  answers: rateSchema.describe('The answers that change the feature.'),
  increases: count.describe('The answers with a higher number, or with `true` in place of `false`.'),
  decreases: count.describe('The answers with a lower number, or with `false` in place of `true`.'),
  increase: distributionSchema.optional().describe('The size of the increases of a number.'),
  decrease: distributionSchema.optional().describe('The size of the decreases of a number.'),
  values: listOf(
    z.strictObject({
      from: rowValue.optional().describe('The value before. Omitted: not known, because results are brief.'),
      to: rowValue.describe('The value after.'),
      answers: count.describe('The number of answers.'),
    }),
  ).describe('The commonest changes of a category, most answers first.'),
});

const reasonCount = z.strictObject({
  reason: z.string().describe('The reason in words.'),
  people: count.describe('The number of people.'),
});

export const testSchema = z.strictObject({
  method: z
    .enum(['chi-square', 'fisher', 'kruskal-wallis', 'not-tested'])
    .describe(
      '`chi-square` and `fisher` compare shares, `kruskal-wallis` compares costs by their ranks. `not-tested`: there are too few people or groups.',
    ),
  statistic: finite.nullable().describe('The value of the statistic. Null for an exact test.'),
  p: share.nullable().describe('The chance of differences of at least this size if the groups do not differ.'),
  adjusted: share.nullable().describe('`p` after Holm, corrected for the tests of all features of the summary.'),
});

/** The values of a feature that make a group. */
export const GROUP_VALUES = {
  name: z.string().describe('The group in words: the value of the feature, or a range.'),
  value: rowValue.optional().describe('The value of the feature. Omitted for a range.'),
  from: finite.optional().describe('The lower end of a range, which belongs to the range.'),
  to: finite.optional().describe('The upper end of a range.'),
  isToIncluded: z.boolean().optional().describe('Whether the upper end belongs to the range.'),
};

const groupSchema = z.strictObject({
  ...GROUP_VALUES,
  people: count.describe('The number of people whose values could be read.'),
  already: count.describe('The number of people who have the target. No answer was sought for them.'),
  notFound: count.describe('The number of people for whom nothing was found and nothing was proved.'),
  noRecourse: rateSchema.describe(
    'The people for whom the policy is proved to permit no answer, among all without the target.',
  ),
  cost: medianSchema.nullable().describe('The cost of the cheapest answers. Null: no person has an answer.'),
  mostAsked: z
    .strictObject({
      feature: z.string().describe('The name of the feature.'),
      answers: rateSchema.describe('The answers that change the feature.'),
    })
    .nullable()
    .describe('The feature that the answers of the group change most often. Null: no person has an answer.'),
  noRecourseAdjusted: share
    .nullable()
    .describe('The test of the share without recourse against all other groups: `p` after Holm. Null: not tested.'),
  costAdjusted: share
    .nullable()
    .describe('The test of the costs against all other groups: `p` after Holm. Null: not tested.'),
});

const groupingSchema = z.strictObject({
  feature: z.string().describe('The name of the feature.'),
  kind: z
    .enum(['values', 'ranges', 'too-many', 'missing'])
    .describe(
      '`values`: a group for each value. `ranges`: ranges of a number with about equally many people. `too-many`: the feature has too many values for groups. `missing`: no result has the feature.',
    ),
  groups: listOf(groupSchema).describe('The groups that are large enough.'),
  suppressed: listOf(z.string()).describe(
    'The names of groups without figures: groups with fewer than `smallestGroup` people without the target, and groups by which their figures could be computed.',
  ),
  noRecourseTest: testSchema.describe('The test that the shares without recourse do not differ.'),
  costTest: testSchema.describe('The test that the costs of the answers do not differ.'),
});

const sourceCount = { results: count.describe('The number of results.') };

export const summarySchema = z.strictObject({
  schema: z.literal('elsewise.summary/v1').describe('The kind and version of the document.'),
  results: count.describe('The number of results.'),
  brief: count.describe('The number of brief results, which lack the values of the row and the reasons of the policy.'),
  statuses: z
    .strictObject(
      Object.fromEntries(
        resultSchema.shape.status.options.map((status) => [
          status,
          count.describe(`Results with status \`${status}\`.`),
        ]),
      ) as Record<(typeof resultSchema.shape.status.options)[number], typeof count>,
    )
    .describe('The number of results by status.'),
  models: listOf(z.strictObject({ ...resultSchema.shape.model.shape, ...sourceCount })).describe(
    'The models of the results, most results first.',
  ),
  policies: listOf(z.strictObject({ ...resultSchema.shape.policy.shape, ...sourceCount })).describe(
    'The policies of the results, most results first.',
  ),
  targets: listOf(
    z.strictObject({ target: targetSchema.nullable().describe('The wanted outcome.'), ...sourceCount }),
  ).describe(
    'The targets of results that are not brief, most results first. A result with several targets counts for each of them.',
  ),
  cost: distributionSchema
    .nullable()
    .describe('The cost of the cheapest answer of each person. Null: no person has an answer.'),
  costHistogram: histogramSchema.nullable().describe('The same costs in bins.'),
  changesPerAnswer: recordOf(count).describe('The number of answers by the number of changed features.'),
  changes: listOf(changeSchema).describe('The features that the cheapest answers change, most answers first.'),
  proofs: z
    .strictObject({
      optimal: count.describe('Answers that are proved to be cheapest.'),
      gap: count.describe('Answers with a known lower bound of the cost.'),
      heuristic: count.describe('Answers without a known bound.'),
      gaps: distributionSchema
        .nullable()
        .describe('The gaps of answers with a known bound that are not proved to be cheapest. Null: there are none.'),
    })
    .describe('The proofs of the cheapest answers.'),
  limits: z
    .strictObject({
      effort: count.describe('Results whose search ended by its effort.'),
      time: count.describe('Results whose search ended by the clock. A repetition may give other answers.'),
      degraded: count.describe('Results whose search ended before a proof.'),
    })
    .describe('Results whose search ended early.'),
  solvers: listOf(
    z.strictObject({
      solver: z.string().describe('The name of the solver.'),
      answers: count.describe('The number of cheapest answers.'),
    }),
  ).describe('The solvers of the cheapest answers, most answers first.'),
  reasons: z
    .strictObject({
      blocking: listOf(
        z.strictObject({
          entry: z.string().describe('The entry of the policy.'),
          people: count.describe('The number of people without an answer whom the entry blocks, with others or alone.'),
        }),
      ).describe('The commonest entries of the policy that block all answers of a person.'),
      relaxations: listOf(
        z.strictObject({
          entry: z.string().describe('The entry of the policy.'),
          people: count.describe('The number of people whose cheapest way is the removal of this entry.'),
          cost: distributionSchema.describe('The cost of their answers without the entry.'),
        }),
      ).describe('The entries whose removal gives the cheapest answer to most people.'),
      noSingleEntry: count.describe('The number of people whom the removal of no single entry helps.'),
      undetermined: count.describe('The number of people for whom the budget ended before the decision.'),
      notFound: listOf(reasonCount).describe('The commonest reasons of results with status `not-found`.'),
      invalid: listOf(reasonCount).describe('The commonest faults of rows with status `invalid`.'),
    })
    .describe('The reasons why people have no answer.'),
  map: z
    .strictObject({
      scores: z
        .strictObject({ min: finite.describe('The lowest score.'), max: finite.describe('The highest score.') })
        .nullable()
        .describe('The range of the scores of people and answers. Null: no score is known.'),
      leastAnswerScore: finite.nullable().describe('The lowest score of an answer. Null: there is no answer.'),
      found: listOf(
        z.tuple([finite.describe('The score of the person.'), finite.describe('The cost of the cheapest answer.')]),
      ).describe('A random sample of people with an answer: score and cost.'),
      infeasible: listOf(finite).describe('A random sample of people who are proved to have no answer: their scores.'),
    })
    .describe('Score against cost, for a picture.'),
  smallestGroup: count.describe('The smallest number of people without the target of a group with figures.'),
  groups: listOf(groupingSchema).describe('The figures by group, for each feature that was asked for.'),
});

export type SummaryDocument = z.output<typeof summarySchema>;
export type Distribution = z.output<typeof distributionSchema>;
export type Rate = z.output<typeof rateSchema>;
export type ChangeSummary = z.output<typeof changeSchema>;
export type Grouping = z.output<typeof groupingSchema>;
export type GroupSummary = z.output<typeof groupSchema>;
export type TestSummary = z.output<typeof testSchema>;
