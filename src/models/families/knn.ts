/**
 * k nearest neighbours with the rules of scikit-learn's KNeighborsClassifier and KNeighborsRegressor.
 *
 *   classes     every neighbour votes for its label with its weight; the class with most wins, ties go to the lower class
 *   regressor   Σ w_i y_i / Σ w_i
 *   weights     uniform: 1.   distance: 1 / distance;  where a distance is 0, 1 for the samples at 0 and 0 for all others
 *
 * Scores are shares of the votes. For uniform weights they are constant between bisectors and have no useful slope. The region is one atom
 * with the samples. solvers/neighbours finds the bisectors that matter.
 */
import { z } from 'zod';
import { listOf } from '../../documents/collections.js';
import { ElsewiseError } from '../../documents/error.js';
import { finite, matrix } from '../../documents/model-document.js';
import { sharedFloats } from '../../linalg/shared.js';
import { argmax } from '../../linalg/vector.js';
import {
  checkWidth,
  defineFamily,
  EVEN_PROBABILITIES,
  type FamilyContext,
  type Model,
  refuseGoal,
  type Thresholds,
} from '../family.js';
import { NearestSamples } from '../machines/nearest-samples.js';
import { NeighbourTies } from '../machines/neighbour-ties.js';
import { goalMargin } from '../margins.js';
import type { Goal, Piece } from '../region.js';
import { type SharedParts, shareRows } from '../shared-parts.js';

type Weights = 'uniform' | 'distance';

/** The largest rounding error of a sum of votes or labels, as a share. */
const VOTE_ROUNDING = 2 ** -46;

class KnnModel implements Model {
  readonly rawOutputs: number;
  readonly thresholds?: Thresholds;
  private readonly weight: Float64Array;
  private readonly shown: Float64Array;
  private ties: NeighbourTies | null = null;

  constructor(
    private readonly nearest: NearestSamples,
    /** By sample: its class, or its number. */
    private readonly labels: Float64Array,
    private readonly classes: number,
    private readonly weights: Weights,
    readonly shared: SharedParts,
  ) {
    this.rawOutputs = Math.max(1, classes);
    if (classes === 2) this.thresholds = EVEN_PROBABILITIES;
    this.weight = new Float64Array(nearest.k);
    this.shown = new Float64Array(this.rawOutputs);
  }

  /** Raw output: the votes by class, or the prediction. */
  raw(x: Float64Array, out: Float64Array): void {
    this.nearest.find(x);
    this.tally(out);
  }

  /** Computes the raw output from the found neighbours. */
  private tally(out: Float64Array): void {
    this.weigh();
    if (this.classes) this.vote(out);
    else out[0] = this.mean();
  }

  /**
   * Whether the goal is reached with every possible set of neighbours under rounding, and with the largest rounding errors of votes by
   * distance and means.
   */
  isClear(x: Float64Array, goal: Goal): boolean {
    const { nearest } = this;
    this.ties ??= new NeighbourTies(nearest);
    const sets = this.ties.setsAt(x);
    const raw = new Float64Array(this.rawOutputs);
    const reaches = (set: readonly number[]) => {
      nearest.take(set, x);
      this.tally(raw);
      return this.offsets(goal).every((offset) => this.achieves(raw.map(offset), goal));
    };
    return sets?.every(reaches) ?? false;
  }

  /** The raw outputs shifted by the largest rounding error against the goal. Whole numbers are added without rounding. */
  private offsets({ kind, index }: Goal): ((value: number, k: number) => number)[] {
    const isExact = this.weights === 'uniform' && this.labels.every(Number.isInteger);
    if (isExact) return [(value) => value];
    const size = this.classes ? 0 : this.labels.reduce((most, label) => Math.max(most, Math.abs(label)), 0);
    const moved = (side: number) => (value: number, k: number) =>
      value + (k === index ? side : -side) * VOTE_ROUNDING * (Math.abs(value) + size);
    return kind === 'class' ? [moved(-1)] : [moved(-1), moved(1)];
  }

  private weigh(): void {
    const { nearest, weight } = this;
    for (let i = 0; i < weight.length; i++) weight[i] = this.weights === 'uniform' ? 1 : 1 / nearest.distance(i);
    if (weight.includes(Infinity)) for (let i = 0; i < weight.length; i++) weight[i] = +(weight[i] === Infinity);
  }

  private vote(out: Float64Array): void {
    out.fill(0);
    for (let i = 0; i < this.weight.length; i++) out[this.labels[this.nearest.indices[i]]] += this.weight[i];
  }

  private mean(): number {
    let [sum, total] = [0, 0];
    for (let i = 0; i < this.weight.length; i++) {
      sum += this.labels[this.nearest.indices[i]] * this.weight[i];
      total += this.weight[i];
    }
    return sum / total;
  }

  scores(raw: Float64Array, out: Float64Array): void {
    let total = 0;
    for (let k = 0; k < raw.length; k++) total += raw[k];
    for (let k = 0; k < raw.length; k++) out[k] = this.classes ? raw[k] / total : raw[k];
  }

  decide(raw: Float64Array): number {
    return this.classes ? argmax(raw) : 0;
  }

  achieves(raw: Float64Array, goal: Goal): boolean {
    if (goal.kind === 'interval') return this.margin(raw, goal) >= 0;
    if (!this.classes || this.decide(raw) !== goal.index) return false;
    return goal.margin === 0 || this.margin(raw, goal) >= 0;
  }

  margin(raw: Float64Array, goal: Goal): number {
    this.scores(raw, this.shown);
    return goalMargin(this.shown, goal);
  }

  region(goal: Goal): Piece[] {
    if (goal.kind === 'class' && !this.classes)
      return refuseGoal('a regressor', 'classes: its target is a number or an interval');
    const { nearest, labels, classes } = this;
    const raw = new Float64Array(this.rawOutputs);
    const meets = (x: Float64Array) => {
      this.raw(x, raw);
      return this.achieves(raw, goal);
    };
    const isUniform = this.weights === 'uniform' || nearest.k === 1;
    return [{ rows: [], atoms: [{ kind: 'neighbours', nearest, labels, classes, isUniform, goal, meets, map: null }] }];
  }
}

const form = z.strictObject({
  samples: matrix.describe('The inputs of each sample.'),
  labels: listOf(z.union([z.string(), finite]))
    .min(1)
    .describe('The class of each sample, or its number for a regressor.'),
  k: z.int().min(1).describe('The number of neighbours that vote.'),
  metric: z.enum(['euclidean', 'manhattan']).default('euclidean').describe('The distance between inputs.'),
  weights: z
    .enum(['uniform', 'distance'])
    .default('uniform')
    .describe('The weight of a vote: equal, or the inverse of the distance.'),
});

const parameterError = (path: string, message: string) =>
  new ElsewiseError('bad-document', message, `model.parameters.${path}`);

/** Classes by their index in the document, numbers unchanged. */
function readLabels(labels: readonly (string | number)[], context: FamilyContext): Float64Array {
  const read = sharedFloats(labels.length);
  for (const [i, label] of labels.entries())
    read[i] = context.classes ? classOf(label, i, context) : numberOf(label, i);
  return read;
}

function classOf(label: string | number, i: number, { labels }: FamilyContext): number {
  const index = labels.indexOf(String(label));
  if (index < 0) throw parameterError(`labels[${i}]`, `"${label}" is not among the classes`);
  return index;
}

function numberOf(label: string | number, i: number): number {
  if (typeof label === 'string') throw parameterError(`labels[${i}]`, 'a regressor has numbers as labels');
  return label;
}

function readSamples(samples: readonly (readonly number[])[], inputs: number): Float64Array {
  for (const [i, row] of samples.entries()) checkWidth(row, inputs, `samples[${i}]`);
  return shareRows(samples);
}

function loadKnn(p: z.output<typeof form>, context: FamilyContext): Model {
  if (!context.shared) checkWidth(p.labels, p.samples.length, 'labels', 'sample');
  const shared = {
    samples: (context.shared?.samples as Float64Array | undefined) ?? readSamples(p.samples, context.inputs),
    labels: (context.shared?.labels as Float64Array | undefined) ?? readLabels(p.labels, context),
  };
  if (p.k > shared.labels.length) throw parameterError('k', `${p.k} neighbours of ${shared.labels.length} samples`);
  const nearest = new NearestSamples(shared.samples, context.inputs, p.k, p.metric);
  return new KnnModel(nearest, shared.labels, context.classes, p.weights, shared);
}

export const knn = defineFamily({
  name: 'knn',
  task: 'either',
  schema: form,
  shares: ['samples', 'labels'],
  load: loadKnn,
});
