/** The model document `elsewise.model/v1`: everything but `parameters`, which each family describes itself. */
import { z } from 'zod';
import { listOf, recordOf } from './collections.js';
import { decisionSchema } from './decision/decision-document.js';
import { categoricalLabels, featureLabels, modelLabels } from './labels/label-document.js';
import { bounded, finite, matrix, positive, vector } from './numbers.js';
import { isolationForestSchema } from './tree-document.js';

export { bounded, finite, matrix, vector };

const name = z
  .string()
  .min(1)
  .max(200)
  .refine((text) => text !== '__proto__', 'this name cannot be used');
const named = { name: name.describe('The name of the feature. Rows and policies use the name.') };
const common = { ...named, ...featureLabels };
const numeric = {
  ...common,
  min: bounded.optional().describe('The lowest possible value. Default: no lower end.'),
  max: bounded.optional().describe('The highest possible value. Default: no upper end.'),
};
const typeOf = <T extends string>(type: T, meaning: string) => z.literal(type).describe(meaning);

export const featureSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: typeOf('continuous', 'Any number.'),
    ...numeric,
    decimals: z
      .int()
      .min(0)
      .max(12)
      .optional()
      .describe('The number of digits after the decimal point in answers. Default: any number of digits.'),
  }),
  z.strictObject({ type: typeOf('integer', 'A whole number.'), ...numeric }),
  z.strictObject({ type: typeOf('boolean', 'True or false. Rows may also contain 1 and 0.'), ...common }),
  z.strictObject({
    type: typeOf('categorical', 'One of a list of categories.'),
    ...named,
    ...categoricalLabels,
    categories: listOf(z.string()).min(1).describe('The categories, in the order of the columns or ranks.'),
    encoding: z
      .enum(['one-hot', 'ordinal'])
      .optional()
      .describe(
        'The columns of the model. `one-hot` makes one column for each category. `ordinal` makes one column with the rank. Default: `one-hot`.',
      ),
  }),
]);

export const preprocessingSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: typeOf('scale', 'Each column becomes (x - mean) / scale.'),
    mean: vector.describe('The number that is subtracted, by column.'),
    scale: vector.describe('The divisor, by column.'),
  }),
  z.strictObject({
    type: typeOf('affine', 'The columns become matrix x + offset. A principal component analysis is such a step.'),
    matrix: matrix.describe('One row for each new column.'),
    offset: vector.describe('The number that is added, by new column.'),
  }),
  z.strictObject({
    type: typeOf('impute', 'A missing value becomes a fixed value.'),
    values: listOf(bounded.nullable()).min(1).describe('The value by column. Null: a missing value is an error.'),
  }),
  z.strictObject({
    type: typeOf(
      'monotone',
      'Columns become increasing functions of themselves. Only `impute` may come before this step.',
    ),
    functions: listOf(z.enum(['log1p', 'box-cox', 'yeo-johnson']).nullable())
      .min(1)
      .describe(
        'The function by column. `log1p` is log(1 + x). `box-cox` and `yeo-johnson` are the power transformations of these names. Null: the column stays as it is.',
      ),
    powers: vector.describe('The power by column. `log1p` and unchanged columns do not read it.'),
  }),
]);

export const rowValue = z.union([finite, z.string(), z.boolean(), z.null()]);
const byFeature = recordOf(bounded.min(0));
const share = finite.min(0).max(1);

/** A mixture of Gaussians over named numbers, in their own units: a covariance or its inverse for each component. */
export const mixtureSchema = z
  .strictObject({
    features: listOf(name).min(1).describe('The features that the mixture covers, in the order of its columns.'),
    weights: listOf(positive).min(1).describe('The share of each component.'),
    means: matrix.describe('The mean of each component.'),
    covariances: listOf(matrix).min(1).optional().describe('The covariance of each component.'),
    precisions: listOf(matrix)
      .min(1)
      .optional()
      .describe('The inverse covariance of each component, in place of `covariances`.'),
  })
  .refine(({ covariances, precisions }) => (covariances === undefined) !== (precisions === undefined), {
    path: ['covariances'],
    message: 'give "covariances" or "precisions", one of them',
  });

/** Layers from the model's inputs, after preprocessing, back to the same inputs. */
export const autoencoderSchema = z.strictObject({
  encoderLayers: z
    .int()
    .min(1)
    .optional()
    .describe('The number of layers of the encoder. The method `prototype` needs this number.'),
  layers: listOf(
    z.strictObject({
      weights: matrix.describe('One row for each unit of the layer.'),
      bias: vector.describe('The bias of each unit.'),
      activation: z.enum(['relu', 'tanh', 'logistic', 'identity']).describe('The activation function of the layer.'),
    }),
  )
    .min(1)
    .describe('The layers from the inputs of the model, after preprocessing, back to the same inputs.'),
});

export const backgroundSchema = z.strictObject({
  mad: byFeature.optional().describe('The median absolute deviation, by feature. Default: computed from `samples`.'),
  std: byFeature.optional().describe('The standard deviation, by feature. Default: computed from `samples`.'),
  quantiles: recordOf(listOf(bounded).min(2))
    .optional()
    .describe(
      'Ascending values at equally spaced shares from 0 to 1, by feature. The first is the smallest value and the last is the largest. Default: computed from `samples`.',
    ),
  shares: recordOf(recordOf(share))
    .optional()
    .describe(
      'The share of rows with each category, by feature. For a boolean the categories are `true` and `false`. A category that is not listed has the share 0. By default an answer has no category with the share 0.',
    ),
  covariance: z
    .strictObject({
      features: listOf(name).min(1).describe('The features of the rows and columns of the matrix.'),
      matrix: matrix.describe('The covariance of these features.'),
    })
    .optional()
    .describe('The covariance of numeric features, for the norm `mahalanobis`. Default: computed from `samples`.'),
  samples: listOf(listOf(rowValue))
    .optional()
    .describe('Rows of the training set, with values in the order of the features.'),
  labels: listOf(z.union([z.string(), finite]))
    .optional()
    .describe('The class or the number of each row of `samples`.'),
  isolationForest: isolationForestSchema
    .optional()
    .describe('A forest over the columns before preprocessing. The method `isolation-forest` uses the forest.'),
  autoencoder: autoencoderSchema
    .optional()
    .describe('An autoencoder over the inputs of the model. The methods `autoencoder` and `prototype` use it.'),
  mixture: mixtureSchema
    .optional()
    .describe('A mixture of Gaussians over numbers, in their own units. The method `density` uses the mixture.'),
});

export const probesSchema = z.strictObject({
  rows: listOf(listOf(rowValue)).describe('Rows with values in the order of the features.'),
  scores: listOf(vector).describe('The scores that the source library gave for each row, one number for each class.'),
  precision: z
    .enum(['float32', 'float64'])
    .optional()
    .describe(
      'The arithmetic of the source library. Scores may differ by 0.0001 for `float32` and by 0.000001 for `float64`. Default: `float64`.',
    ),
});

export const modelHeader = {
  schema: z.literal('elsewise.model/v1').describe('The kind and version of the document.'),
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'a name is letters, digits, dot, dash and underscore, at most 100')
    .describe('The name of the model. Results and the registry show the name.'),
  description: z.string().optional().describe('Text for people. The program does not read the text.'),
  features: listOf(featureSchema).min(1).describe('The features of a row, in the order of the columns of the model.'),
  classes: listOf(z.string().min(1))
    .min(2)
    .optional()
    .describe('The classes in the order of the scores. A regressor has no classes.'),
  ...modelLabels,
  preprocessing: listOf(preprocessingSchema)
    .optional()
    .describe('Steps between the columns of a row and the inputs of the model, in order.'),
  decision: decisionSchema
    .optional()
    .describe('The decision layer: calibration of the scores, the cut-off between two classes, and bands with names.'),
  background: backgroundSchema
    .optional()
    .describe('Statistics and rows of the training set, for weights, plausibility and paths.'),
  probes: probesSchema
    .optional()
    .describe('Rows with the scores of the source library. A model with other scores is refused.'),
} as const;

export const modelEnvelope = z.strictObject({
  ...modelHeader,
  family: z.string().describe('The kind of model. The kind decides on the keys of `parameters`.'),
  parameters: recordOf(z.unknown()).describe('The numbers of the trained model. Each family has its own keys.'),
});

export type ModelDocument = z.output<typeof modelEnvelope>;
export type FeatureDocument = z.output<typeof featureSchema>;
export type PreprocessingStep = z.output<typeof preprocessingSchema>;
export type BackgroundDocument = z.output<typeof backgroundSchema>;
export type MixtureDocument = z.output<typeof mixtureSchema>;
export type AutoencoderDocument = z.output<typeof autoencoderSchema>;
export type RowValue = z.output<typeof rowValue>;
