/** Segments of a MiningModel: their models and weights, and sums of their trees. */
import { type FieldScope, nestedScope } from '../fields/field-scope.js';
import { type Classes, isSingle, readRescaling } from '../model-context.js';
import type { XmlElement } from '../xml/xml-element.js';
import type { ForestSum } from './forest.js';
import { type LeafKind, readTree, type Seed } from './tree-model.js';

/** The models that are read. */
export const MODELS: readonly string[] = [
  'TreeModel',
  'MiningModel',
  'RegressionModel',
  'GeneralRegressionModel',
  'NaiveBayesModel',
  'Scorecard',
  'SupportVectorMachineModel',
  'NeuralNetwork',
];

const METHODS = [
  'sum',
  'weightedSum',
  'average',
  'weightedAverage',
  'majorityVote',
  'weightedMajorityVote',
  'modelChain',
] as const;
export type SegmentMethod = (typeof METHODS)[number];

export interface Segment {
  readonly model: XmlElement;
  readonly weight: number;
}

export function methodOf(segmentation: XmlElement): SegmentMethod {
  const text = segmentation.needs('multipleModelMethod');
  const method = METHODS.find((known) => known === text);
  if (method) return method;
  throw segmentation.refusal(
    `the method "${text.slice(0, 40)}" of segments, which is no sum and no vote; known are ${METHODS.join(', ')}`,
  );
}

export function segmentsOf(segmentation: XmlElement): Segment[] {
  const treatment = segmentation.get('missingPredictionTreatment') ?? 'continue';
  if (treatment === 'skipSegment')
    throw segmentation.refusal('missingPredictionTreatment="skipSegment": export with "continue" or "returnMissing"');
  const segments = segmentation.all('Segment');
  if (!segments.length) throw segmentation.fault('has no segments');
  return segments.map((segment) => {
    if (!segment.child('True'))
      throw segment.refusal('a segment with a condition: move the condition into the model of the segment');
    if (segment.child('VariableWeight'))
      throw segment.refusal('a weight that is a field: write the weight as a number');
    return { model: segment.oneOf(MODELS), weight: segment.number('weight', 1) };
  });
}

export function readSeeds(
  segments: readonly Segment[],
  scope: FieldScope,
  classes: Classes | null,
  kind: LeafKind,
): Seed[] {
  return segments.map(({ model }) => {
    if (model.name === 'TreeModel') return readTree(model, nestedScope(scope, model), classes, kind);
    throw model.refusal(
      `a ${model.name} in an ensemble: ensembles are of TreeModel, other models follow each other in a modelChain`,
    );
  });
}

/** A regressor of trees: a TreeModel, or a sum of several. */
export function readForestSum(model: XmlElement, scope: FieldScope): ForestSum {
  const single = isSingle(model);
  if (model.name === 'TreeModel') {
    const tree = { seed: readTree(model, scope, null, 'number'), factor: 1 };
    return { kind: 'forest', trees: [tree], constant: 0, isSingle: single };
  }
  const segmentation = model.needed('Segmentation');
  const segments = segmentsOf(segmentation);
  const method = methodOf(segmentation);
  const factors = FACTORS[method]?.(segments.map(({ weight }) => weight));
  if (!factors) throw segmentation.refusal(`${method} of numbers: use sum, weightedSum, average or weightedAverage`);
  const { factor, constant } = readRescaling(model);
  const trees = readSeeds(segments, scope, null, 'number').map((seed, k) => ({ seed, factor: factor * factors[k] }));
  return { kind: 'forest', trees, constant, isSingle: single };
}

/** By method: the factor of each tree in a sum. */
const FACTORS: Partial<Record<SegmentMethod, (weights: readonly number[]) => number[]>> = {
  sum: (weights) => weights.map(() => 1),
  weightedSum: (weights) => [...weights],
  average: (weights) => weights.map(() => 1 / weights.length),
  weightedAverage: (weights) => {
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return weights.map((weight) => weight / total);
  },
};
