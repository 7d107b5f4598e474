/** The decision layer of a model document: calibration of scores, the cut-off, and bands with names. */
import { z } from 'zod';
import { listOf, recordOf } from '../collections.js';
import { bounded, vector } from '../numbers.js';

const kind = <T extends string>(type: T, meaning: string) => z.literal(type).describe(meaning);

const curves = [
  z.strictObject({
    type: kind(
      'isotonic',
      'A curve that never falls, through given points. The curve is level beyond the first and the last point.',
    ),
    scores: vector.describe('The score of each point, ascending. No score is listed twice.'),
    values: vector.describe('The calibrated score of each point. No value is below the one before.'),
    interpolation: z
      .enum(['linear', 'steps'])
      .default('linear')
      .describe(
        'The curve between two points. `linear` is a straight line. `steps` keeps the value of the point before.',
      ),
  }),
  z.strictObject({
    type: kind('sigmoid', 'The calibrated score is 1 / (1 + exp(slope x score + intercept)).'),
    slope: bounded.max(0).describe('The slope. A slope above 0 would turn the order of the scores around.'),
    intercept: bounded.describe('The number that is added to slope x score.'),
  }),
  z.strictObject({
    type: kind(
      'beta',
      'The calibrated score is 1 / (1 + exp(-(a log(score) - b log(1 - score) + c))). The score is a probability.',
    ),
    a: bounded.min(0).describe('The factor of log(score).'),
    b: bounded.min(0).describe('The factor of -log(1 - score).'),
    c: bounded.describe('The number that is added to the logarithms.'),
  }),
] as const;

export const curveSchema = z.discriminatedUnion('type', curves);

export const calibrationSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: kind('mean', 'The mean of several calibrated scores of the same score.'),
    of: listOf(curveSchema).min(1).describe('The calibrations whose mean is taken.'),
  }),
  ...curves,
]);

export const bandSchema = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(100)
    .describe('The name of the band. As a target the name means this band or a better one.'),
  from: bounded.describe('The lowest score of the band.'),
});

export const decisionSchema = z.strictObject({
  calibration: calibrationSchema
    .optional()
    .describe(
      'The function from the score of the model to the reported score, which never falls. For a classifier the score is that of the second class. Default: scores are reported as the model gives them.',
    ),
  threshold: bounded
    .optional()
    .describe(
      'The reported score above which the second of two classes is predicted. Default: 0.5 after a calibration, otherwise the own decision of the model.',
    ),
  thresholdBy: z
    .string()
    .min(1)
    .optional()
    .describe(
      'The categorical or boolean feature that chooses the threshold of a row. Answers never change this feature.',
    ),
  thresholds: recordOf(bounded)
    .optional()
    .describe(
      'With `thresholdBy`: the threshold by value of the feature. Values that are not listed, and missing values, have `threshold`.',
    ),
  inclusive: z
    .boolean()
    .default(false)
    .describe('Whether the second class is predicted at the threshold itself as well.'),
  bands: listOf(bandSchema)
    .min(1)
    .max(100)
    .optional()
    .describe(
      'Bands of reported scores, best first. For a classifier the score is that of the second class. A score below the last band has no band.',
    ),
});

export type DecisionDocument = z.output<typeof decisionSchema>;
export type CalibrationDocument = z.output<typeof calibrationSchema>;
export type CurveDocument = z.output<typeof curveSchema>;
export type BandDocument = z.output<typeof bandSchema>;
