/**
 * Linear models with a score z_k = w_k·x + b_k per class; the largest wins, ties go to the lower class.
 *
 *   softmax-regression   scores e^{z_k} / Σ e^{z_j}; or normalised sigmoids (one-vs-rest), or z itself
 *   lda                  w_k = Σ⁻¹ μ_k,  b_k = -½ μ_kᵀ Σ⁻¹ μ_k + log π_k,  scores as softmax  (survey, section 3.2)
 *
 * Region of class t: z_t - z_j >= 0 for all j, a polyhedron. A margin m or an interval of probability is a slab of z_t - z_j for two
 * classes (probabilities.ts). For more, a margin m or an interval [s, ∞) is convex but curved: with u_j = z_j - z_t,
 *
 *   P_t - P_j >= m   <=>   e^{u_j} + m Σ_{i≠t} e^{u_i} <= 1 - m          P_t >= s   <=>   Σ_{i≠t} e^{u_i} <= 1/s - 1
 *
 * which are `exp-sum` atoms. An upper end of a probability gives the same with >=, which is not convex. Where the scores are z itself every
 * interval is a slab.
 */
import { z } from 'zod';
import { ElsewiseError } from '../../documents/error.js';
import { matrix, vector } from '../../documents/model-document.js';
import { solvePositive } from '../../linalg/symmetric.js';
import { argmax, dot, subtract } from '../../linalg/vector.js';
import { checkMatrixWork } from '../bounds.js';
import { leastLogBound, logOddsAgainst } from '../exponents.js';
import {
  checkWidth,
  defineFamily,
  EVEN_PROBABILITIES,
  type FamilyContext,
  type Model,
  refuseGoal,
  type Thresholds,
} from '../family.js';
import { type AddSlope, goalMargin, leadOf, leadSlope, nearerEnd, softmaxSlope } from '../margins.js';
import { pairLeads, softmax } from '../probabilities.js';
import {
  between,
  type ExpSum,
  type Goal,
  type LinearRow,
  type Piece,
  polyhedron,
  type RowArithmetic,
} from '../region.js';
import { isEmpty, LINK_ROUNDINGS } from '../score-ends.js';
import { rowsOf, type SharedParts, shareRows } from '../shared-parts.js';
import type { LinearSum } from '../sums/score-sum.js';

type Normalization = 'softmax' | 'sigmoid' | 'none';

/** From class scores z to reported scores. */
const NORMALIZE: Record<Normalization, (z: Float64Array, out: Float64Array) => void> = {
  softmax,
  sigmoid(z, out) {
    let sum = 0;
    for (let k = 0; k < z.length; k++) sum += out[k] = 1 / (1 + Math.exp(-z[k]));
    for (let k = 0; k < z.length; k++) out[k] /= sum;
  },
  none(z, out) {
    out.set(z);
  },
};

class SoftmaxModel implements Model {
  readonly rawOutputs: number;
  readonly thresholds?: Thresholds;
  private readonly shown: Float64Array;

  constructor(
    private readonly weights: readonly Float64Array[],
    private readonly bias: Float64Array,
    private readonly normalization: Normalization,
    readonly shared?: SharedParts,
  ) {
    this.rawOutputs = bias.length;
    if (bias.length === 2 && normalization !== 'none') this.thresholds = EVEN_PROBABILITIES;
    this.shown = new Float64Array(bias.length);
  }

  raw(x: Float64Array, out: Float64Array): void {
    for (let k = 0; k < out.length; k++) out[k] = dot(this.weights[k], x) + this.bias[k];
  }

  scores(raw: Float64Array, out: Float64Array): void {
    NORMALIZE[this.normalization](raw, out);
  }

  decide(raw: Float64Array): number {
    return argmax(raw);
  }

  achieves(raw: Float64Array, goal: Goal): boolean {
    if (goal.kind === 'class' && goal.margin === 0) return argmax(raw) === goal.index;
    const shown = this.shown;
    this.scores(raw, shown);
    if (goal.kind === 'interval') return shown[goal.index] >= goal.from && shown[goal.index] <= goal.to;
    if (argmax(raw) !== goal.index) return false;
    return shown.every((score, k) => k === goal.index || shown[goal.index] - score >= goal.margin);
  }

  margin(raw: Float64Array, goal: Goal): number {
    if (goal.kind === 'class' && goal.margin === 0) return leadOf(raw, goal.index);
    this.scores(raw, this.shown);
    return goalMargin(this.shown, goal);
  }

  gradient(x: Float64Array, goal: Goal, out: Float64Array): void {
    const raw = new Float64Array(this.rawOutputs);
    this.raw(x, raw);
    const addSlope: AddSlope = (k, factor, slope) => {
      for (let j = 0; j < slope.length; j++) slope[j] += factor * this.weights[k][j];
    };
    this.scores(raw, this.shown);
    const isRaw = this.normalization === 'none';
    if (goal.kind === 'class' && (goal.margin === 0 || isRaw)) leadSlope(raw, goal.index, addSlope, out);
    else if (isRaw) addSlope(goal.index, nearerEnd(raw[goal.index], goal), out.fill(0));
    else softmaxSlope(this.shown, goal, addSlope, out);
  }

  /** A probability of several classes is no sum. The lead of one class over another is a sum. */
  scoreSum(goal: Goal, rival: number): LinearSum | null {
    const own = this.weights[goal.index];
    if (goal.kind === 'interval' && this.normalization === 'none') return { kind: 'linear', weights: own };
    const hasLead = goal.kind === 'class' || (this.bias.length === 2 && this.normalization === 'softmax');
    return hasLead ? { kind: 'linear', weights: subtract(own, this.weights[rival]) } : null;
  }

  region(goal: Goal): Piece[] {
    if (goal.kind === 'interval') return this.intervalRegion(goal);
    if (goal.margin === 0 || this.normalization === 'none') return [polyhedron(this.leads(goal.index, goal.margin))];
    if (goal.margin > 1) return [];
    if (this.normalization === 'sigmoid') return refuseGoal('one-vs-rest', 'exact region for a margin in probability');
    if (this.bias.length === 2) return this.pairRegion(goal);
    return [{ rows: this.leads(goal.index, 0), atoms: this.leadSums(goal.index, goal.margin) }];
  }

  private rivals(target: number): number[] {
    return Array.from(this.bias.keys()).filter((k) => k !== target);
  }

  /** z_t - z_j >= margin for every rival j. */
  private leads(target: number, margin: number): LinearRow[] {
    return this.rivals(target).map((j) => this.leadBetween(target, j, margin, Infinity));
  }

  /** least <= z_t - z_j <= most */
  private leadBetween(target: number, j: number, least: number, most: number): LinearRow {
    const shift = this.bias[j] - this.bias[target];
    const size = Math.max(0, ...[least, most].filter(Number.isFinite).map(Math.abs));
    return {
      ...between(subtract(this.weights[target], this.weights[j]), least + shift, most + shift),
      arithmetic: this.arithmetic([target, j], size),
    };
  }

  /** The region of a goal in probability, for two classes. */
  private pairRegion(goal: Goal): Piece[] {
    const ends = pairLeads(goal);
    if (isEmpty(ends)) return [];
    const row = this.leadBetween(goal.index, 1 - goal.index, ...ends);
    const { terms, constant } = row.arithmetic!;
    return [polyhedron([{ ...row, arithmetic: { terms, constant: constant + LINK_ROUNDINGS } }])];
  }

  /** The model sums up the scores of the classes separately. */
  private arithmetic(classes: readonly number[], more = 0): RowArithmetic {
    const sum = (sizes: number[]) => sizes.reduce((total, size) => total + Math.abs(size), 0);
    const terms = this.weights[0].map((_, i) => sum(classes.map((k) => this.weights[k][i])));
    return { terms, constant: sum(classes.map((k) => this.bias[k])) + more };
  }

  private rivalSum(target: number, weights: number[], bound: number): ExpSum {
    const rivals = this.rivals(target);
    return {
      kind: 'exp-sum',
      arithmetic: this.arithmetic([...this.bias.keys()]),
      weights: Float64Array.from(weights),
      exponents: rivals.map((j) => subtract(this.weights[j], this.weights[target])),
      shifts: Float64Array.from(rivals, (j) => this.bias[j] - this.bias[target]),
      bound,
    };
  }

  private leadSums(target: number, margin: number): ExpSum[] {
    const rivals = this.rivals(target);
    return rivals.map((j) =>
      this.rivalSum(
        target,
        rivals.map((i) => margin + (i === j ? 1 : 0)),
        Math.exp(leastLogBound(Math.log1p(-margin))),
      ),
    );
  }

  private intervalRegion(goal: Goal & { kind: 'interval' }): Piece[] {
    const { index, from, to } = goal;
    if (this.normalization === 'none') {
      const row = between(this.weights[index], from - this.bias[index], to - this.bias[index]);
      return [polyhedron([{ ...row, arithmetic: this.arithmetic([index]) }])];
    }
    if (this.normalization === 'sigmoid')
      return refuseGoal('one-vs-rest', 'exact region for an interval of probability');
    if (this.bias.length === 2) return this.pairRegion(goal);
    if (from > 1 || to < 0) return [];
    const plain = this.rivals(index).map(() => 1);
    const atoms: ExpSum[] = [];
    if (from > 0) atoms.push(this.rivalSum(index, plain, oddsAgainst(from)));
    if (to < 1) atoms.push({ ...this.rivalSum(index, plain, oddsAgainst(to)), atLeast: true });
    return [{ rows: [], atoms }];
  }
}

/** (1 - p)/p, within the range that doubles can distinguish. */
const oddsAgainst = (p: number): number => Math.min(Number.MAX_VALUE, Math.exp(logOddsAgainst(p)));

const linearForm = z.strictObject({
  weights: matrix.describe('The weight of each model input, by class.'),
  bias: vector.describe('The bias of each class.'),
});
const softmaxForm = linearForm.extend({
  normalization: z
    .enum(['softmax', 'sigmoid', 'none'])
    .default('softmax')
    .describe(
      'The step from sums to scores. `softmax` gives probabilities. `sigmoid` gives one-against-rest probabilities, divided by their sum. `none` gives the sums.',
    ),
});

function readWeights(p: z.output<typeof linearForm>, { classes, inputs }: FamilyContext): Float64Array {
  checkWidth(p.weights, classes, 'weights', 'class');
  checkWidth(p.bias, classes, 'bias', 'class');
  for (const [k, row] of p.weights.entries()) checkWidth(row, inputs, `weights[${k}]`);
  return shareRows(p.weights);
}

function loadSoftmax(p: z.output<typeof softmaxForm>, context: FamilyContext): Model {
  const weights = (context.shared?.weights as Float64Array | undefined) ?? readWeights(p, context);
  return new SoftmaxModel(rowsOf(weights, context.inputs), Float64Array.from(p.bias), p.normalization, { weights });
}

export const softmaxRegression = defineFamily({
  name: 'softmax-regression',
  task: 'classification',
  schema: softmaxForm,
  shares: ['weights'],
  load: loadSoftmax,
});

const gaussianForm = z.strictObject({
  means: matrix.describe('The mean of each input, by class.'),
  covariance: matrix.describe('The covariance of the inputs, common to all classes.'),
  priors: vector.describe('The prior probability of each class.'),
});

function loadGaussian(p: z.output<typeof gaussianForm>, context: FamilyContext): Model {
  checkWidth(p.means, context.classes, 'means', 'class');
  checkWidth(p.priors, context.classes, 'priors', 'class');
  for (const [k, row] of p.means.entries()) checkWidth(row, context.inputs, `means[${k}]`);
  checkWidth(p.covariance, context.inputs, 'covariance');
  for (const [i, row] of p.covariance.entries()) checkWidth(row, context.inputs, `covariance[${i}]`);
  const badPrior = p.priors.findIndex((prior) => !(prior > 0));
  if (badPrior >= 0)
    throw new ElsewiseError('bad-document', 'a prior must be above 0', `model.parameters.priors[${badPrior}]`);
  const work = context.inputs ** 2 * (context.inputs + context.classes);
  checkMatrixWork(work, 'model.parameters.covariance', 'solving with the covariance', context.bounds);
  const solved = solvePositive(p.covariance, p.means);
  if (!solved) {
    const message = 'is singular or not positive definite: drop constant or duplicate columns, or shrink it';
    throw new ElsewiseError('bad-document', message, 'model.parameters.covariance');
  }
  const bias = p.means.map((mean, k) => Math.log(p.priors[k]) - 0.5 * dot(solved[k], Float64Array.from(mean)));
  return new SoftmaxModel(solved, Float64Array.from(bias), 'softmax');
}

export const lda = defineFamily({
  name: 'lda',
  task: 'classification',
  schema: z.union([linearForm, gaussianForm]),
  load: (p, context) => {
    if ('means' in p) return loadGaussian(p, context);
    const weights = rowsOf(readWeights(p, context), context.inputs);
    return new SoftmaxModel(weights, Float64Array.from(p.bias), 'softmax');
  },
});
