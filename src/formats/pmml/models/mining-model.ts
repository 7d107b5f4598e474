/**
 * MiningModel: several models in segments.
 *
 *   numbers     sum, weightedSum, average, weightedAverage of trees
 *   classes     average and weightedAverage of the shares of trees, majorityVote and weightedMajorityVote
 *   modelChain  model-chain.ts
 */

import { type DocumentPart, isSingle, type ModelContext, readRescaling } from '../model-context.js';
import { type ForestPlan, writeForest, writeSums } from '../trees/forest.js';
import { methodOf, readForestSum, readSeeds, type Segment, type SegmentMethod, segmentsOf } from '../trees/segments.js';
import type { XmlElement } from '../xml/xml-element.js';
import { readChain } from './model-chain.js';

type Plan = Omit<ForestPlan, 'seeds'>;

const weighted = (segments: readonly Segment[]): Plan => ({
  aggregation: 'mean',
  parameters: { members: segments.map(({ weight }) => ({ trees: 1, weight })) },
});
const mean = (_: readonly Segment[], model: XmlElement): Plan => ({
  aggregation: 'mean',
  parameters: { accumulate: isSingle(model) ? 'float32' : 'float64' },
});

/** By method: an ensemble that is no plain sum. */
const PLANS: Partial<Record<SegmentMethod, (segments: readonly Segment[], model: XmlElement) => Plan>> = {
  average: mean,
  weightedAverage: weighted,
  majorityVote: () => ({ aggregation: 'vote' }),
  weightedMajorityVote: weighted,
};

export function importMining(model: XmlElement, context: ModelContext): DocumentPart {
  const segmentation = model.needed('Segmentation');
  const method = methodOf(segmentation);
  if (method === 'modelChain') return readChain(segmentsOf(segmentation), model, context);
  return context.classes ? importVotes(method, model, context) : importNumbers(method, model, context);
}

function importNumbers(method: SegmentMethod, model: XmlElement, context: ModelContext): DocumentPart {
  const { factor, constant } = readRescaling(model);
  const plan = method.endsWith('verage') && factor === 1 && constant === 0 ? PLANS[method] : undefined;
  if (!plan) return writeSums([readForestSum(model, context.scope)], 'identity', model, context);
  const segments = segmentsOf(model.needed('Segmentation'));
  const seeds = readSeeds(segments, context.scope, null, 'number');
  return writeForest({ seeds, ...plan(segments, model) }, model, context);
}

function importVotes(method: SegmentMethod, model: XmlElement, context: ModelContext): DocumentPart {
  const segmentation = model.needed('Segmentation');
  const plan = PLANS[method];
  if (!plan) throw segmentation.refusal(`${method} of classes: use average, weightedAverage or a vote`);
  const segments = segmentsOf(segmentation);
  const kind = method.endsWith('Vote') ? 'votes' : 'shares';
  const seeds = readSeeds(segments, context.scope, context.classes, kind);
  return writeForest({ seeds, ...plan(segments, model) }, model, context);
}
