/** The model document `elsewise.model/v1`: everything but `parameters`, which each family describes itself. */
import { z } from 'zod';
import { listOf, recordOf } from './collections.js';
import { bounded, finite, matrix, positive, vector } from './numbers.js';
import { isolationForestSchema } from './tree-document.js';

export { bounded, finite, matrix, vector };

const name = z
  .string()
  .min(1)
  .max(200)
  .refine((text) => text !== '__proto__', 'this name cannot be used');
const common = { name, unit: z.string().optional(), label: z.string().optional() };
const numeric = { ...common, min: bounded.optional(), max: bounded.optional() };

export const featureSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('continuous'), ...numeric, decimals: z.int().min(0).max(12).optional() }),
  z.strictObject({ type: z.literal('integer'), ...numeric }),
  z.strictObject({ type: z.literal('boolean'), ...common }),
  z.strictObject({
    type: z.literal('categorical'),
    ...common,
    categories: listOf(z.string()).min(1),
    encoding: z.enum(['one-hot', 'ordinal']).optional(),
  }),
]);

export const preprocessingSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('scale'), mean: vector, scale: vector }),
  z.strictObject({ type: z.literal('affine'), matrix, offset: vector }),
  z.strictObject({ type: z.literal('impute'), values: listOf(bounded.nullable()).min(1) }),
]);

export const rowValue = z.union([finite, z.string(), z.boolean(), z.null()]);
const byFeature = recordOf(bounded.min(0));

/** A mixture of Gaussians over named numbers, in their own units: a covariance or its inverse for each component. */
export const mixtureSchema = z
  .strictObject({
    features: listOf(name).min(1),
    weights: listOf(positive).min(1),
    means: matrix,
    covariances: listOf(matrix).min(1).optional(),
    precisions: listOf(matrix).min(1).optional(),
  })
  .refine(({ covariances, precisions }) => (covariances === undefined) !== (precisions === undefined), {
    path: ['covariances'],
    message: 'give "covariances" or "precisions", one of them',
  });

/** Layers from the model's inputs, after preprocessing, back to the same inputs. `encoderLayers`: the number of layers of the encoder. */
export const autoencoderSchema = z.strictObject({
  encoderLayers: z.int().min(1).optional(),
  layers: listOf(
    z.strictObject({ weights: matrix, bias: vector, activation: z.enum(['relu', 'tanh', 'logistic', 'identity']) }),
  ).min(1),
});

export const backgroundSchema = z.strictObject({
  mad: byFeature.optional(),
  std: byFeature.optional(),
  quantiles: recordOf(listOf(bounded).min(2)).optional(),
  covariance: z.strictObject({ features: listOf(name).min(1), matrix }).optional(),
  samples: listOf(listOf(rowValue)).optional(),
  labels: listOf(z.union([z.string(), finite])).optional(),
  isolationForest: isolationForestSchema.optional(),
  autoencoder: autoencoderSchema.optional(),
  mixture: mixtureSchema.optional(),
});

export const probesSchema = z.strictObject({
  rows: listOf(listOf(rowValue)),
  scores: listOf(vector),
  precision: z.enum(['float32', 'float64']).optional(),
});

export const modelHeader = {
  schema: z.literal('elsewise.model/v1'),
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'a name is letters, digits, dot, dash and underscore, at most 100'),
  description: z.string().optional(),
  features: listOf(featureSchema).min(1),
  classes: listOf(z.string().min(1)).min(2).optional(),
  preprocessing: listOf(preprocessingSchema).optional(),
  background: backgroundSchema.optional(),
  probes: probesSchema.optional(),
} as const;

export const modelEnvelope = z.strictObject({
  ...modelHeader,
  family: z.string(),
  parameters: recordOf(z.unknown()),
});

export type ModelDocument = z.output<typeof modelEnvelope>;
export type FeatureDocument = z.output<typeof featureSchema>;
export type PreprocessingStep = z.output<typeof preprocessingSchema>;
export type BackgroundDocument = z.output<typeof backgroundSchema>;
export type MixtureDocument = z.output<typeof mixtureSchema>;
export type AutoencoderDocument = z.output<typeof autoencoderSchema>;
export type RowValue = z.output<typeof rowValue>;
