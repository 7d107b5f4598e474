/**
 * Gaussian classifiers: the class with the largest discriminant wins, ties go to the lower class (survey, 3.4 and 3.5).
 *
 *   δ_k(x) = log π_k - ½ log|Σ_k| - ½ (x - μ_k)ᵀ Σ_k⁻¹ (x - μ_k)          scores: softmax of δ
 *
 *   gaussian-naive-bayes   Σ_k diagonal: variances by class and column
 *   qda                    Σ_k full
 *
 * Region of class t: 2(δ_j - δ_t) = d_t(x) - d_j(x) + const <= 0 for every rival j, a difference of two distances.
 * Equal covariances make it a linear row. A class of prior 0 is never predicted: it has no region as a target and does not
 * count as a rival. Variances of 0 and singular covariances have no density and are refused.
 * A margin m or an interval [s, s'] in probability is quadratic for two classes: an interval of leads (probabilities.ts). For more
 * classes it is a sum of exponentials of quadratics: with u_j = δ_j - δ_t,
 *
 *   P_t - P_j >= m   <=>   e^{u_j} + m Σ_i e^{u_i} <= 1 - m        P_t >= s   <=>   Σ_i e^{u_i} <= 1/s - 1,   P_t <= s' the same with >=
 */
import { z } from 'zod';
import { listOf } from '../../documents/collections.js';
import { ElsewiseError } from '../../documents/error.js';
import { matrix, vector } from '../../documents/model-document.js';
import { SMALLEST } from '../../documents/numbers.js';
import { invertPositive } from '../../linalg/symmetric.js';
import {
  addQuadraticGradient,
  fullMatrix,
  quadraticForm,
  type SymmetricMatrix,
} from '../../linalg/symmetric-matrix.js';
import { argmax } from '../../linalg/vector.js';
import { checkMatrixWork } from '../bounds.js';
import { type Centre, DistanceDifference } from '../distance-difference.js';
import { leastLogBound, logOddsAgainst } from '../exponents.js';
import {
  checkWidth,
  defineFamily,
  EVEN_PROBABILITIES,
  type FamilyContext,
  type Model,
  type Thresholds,
} from '../family.js';
import { type AddSlope, goalMargin, leadOf, leadSlope, softmaxSlope } from '../margins.js';
import { pairLeads, softmax } from '../probabilities.js';
import { nearerPiece } from '../prototype-pieces.js';
import { type ExpQuadratics, type Goal, type Piece, polyhedron } from '../region.js';
import { isEmpty, LINK_ROUNDINGS } from '../score-ends.js';
import type { PartSum } from '../sums/score-sum.js';

class GaussianModel implements Model {
  readonly rawOutputs: number;
  readonly thresholds?: Thresholds;
  private readonly shown: Float64Array;

  constructor(
    private readonly centres: readonly Centre[],
    /** log π_k - ½ log|Σ_k| */
    private readonly offsets: Float64Array,
  ) {
    this.rawOutputs = centres.length;
    if (centres.length === 2) this.thresholds = EVEN_PROBABILITIES;
    this.shown = new Float64Array(centres.length);
  }

  raw(x: Float64Array, out: Float64Array): void {
    for (let k = 0; k < out.length; k++)
      out[k] = this.offsets[k] - 0.5 * quadraticForm(this.centres[k].matrix, x, this.centres[k].at);
  }

  scores(raw: Float64Array, out: Float64Array): void {
    softmax(raw, out);
  }

  decide(raw: Float64Array): number {
    return argmax(raw);
  }

  achieves(raw: Float64Array, goal: Goal): boolean {
    if (goal.kind === 'class' && goal.margin === 0) return argmax(raw) === goal.index;
    this.scores(raw, this.shown);
    const own = this.shown[goal.index];
    if (goal.kind === 'interval') return own >= goal.from && own <= goal.to;
    return argmax(raw) === goal.index && this.shown.every((score, k) => k === goal.index || own - score >= goal.margin);
  }

  margin(raw: Float64Array, goal: Goal): number {
    if (goal.kind === 'class' && goal.margin === 0) return leadOf(raw, goal.index);
    this.scores(raw, this.shown);
    return goalMargin(this.shown, goal);
  }

  gradient(x: Float64Array, goal: Goal, out: Float64Array): void {
    const raw = new Float64Array(this.rawOutputs);
    this.raw(x, raw);
    const addSlope: AddSlope = (k, factor, slope) =>
      addQuadraticGradient(this.centres[k].matrix, x, this.centres[k].at, -0.5 * factor, slope);
    this.scores(raw, this.shown);
    if (goal.kind === 'class' && goal.margin === 0) leadSlope(raw, goal.index, addSlope, out);
    else softmaxSlope(this.shown, goal, addSlope, out);
  }

  /** Full covariances give products of inputs, which belong to no input. */
  get scoreSum(): Model['scoreSum'] {
    return this.centres.every(({ matrix: { kind } }) => kind === 'diagonal') ? this.leadSum : undefined;
  }

  private readonly leadSum = (goal: Goal, rival: number): PartSum | null => {
    if (goal.kind === 'interval' && this.centres.length !== 2) return null;
    const [own, other] = [this.centres[goal.index], this.centres[rival]];
    const half = ({ at, matrix: { entries } }: Centre, i: number, x: number) => 0.5 * entries[i] * (x - at[i]) ** 2;
    const parts = Array.from(own.at, (_, i) => ({
      inputs: [i],
      value: (x: Float64Array) => half(other, i, x[i]) - half(own, i, x[i]),
    }));
    return { kind: 'parts', parts };
  };

  region(goal: Goal): Piece[] {
    const rivals = [...this.offsets.keys()].filter((k) => k !== goal.index && this.offsets[k] > -Infinity);
    if (this.offsets[goal.index] === -Infinity) return everywhere(0, goal);
    if (!rivals.length) return everywhere(1, goal);
    const isPlain = goal.kind === 'class' && goal.margin === 0;
    if (rivals.length > 1 && !isPlain) return this.probabilityRegion(goal, rivals);
    const ends = pairLeads(goal);
    if (isEmpty(ends)) return [];
    const [lower, upper] = ends;
    const quadratics = lower > -Infinity ? rivals.map((j) => this.nearer(goal.index, j, lower)) : [];
    if (upper < Infinity) quadratics.push(this.nearer(rivals[0], goal.index, -upper));
    return [nearerPiece(quadratics)];
  }

  private probabilityRegion(goal: Goal, rivals: readonly number[]): Piece[] {
    if (goal.kind === 'class') {
      const { index, margin } = goal;
      if (margin > 1) return [];
      const weights = (j: number) => rivals.map((i) => margin + (i === j ? 1 : 0));
      const sums = rivals.map((j) => this.rivalSum(index, rivals, weights(j), leastLogBound(Math.log1p(-margin))));
      return [{ rows: [], atoms: sums }];
    }
    const { index, from, to } = goal;
    if (from > 1 || to < 0) return [];
    const plain = rivals.map(() => 1);
    const atoms: ExpQuadratics[] = [];
    if (from > 0) atoms.push(this.rivalSum(index, rivals, plain, logOddsAgainst(from)));
    if (to < 1) atoms.push({ ...this.rivalSum(index, rivals, plain, logOddsAgainst(to)), atLeast: true });
    return [{ rows: [], atoms }];
  }

  /** Σ_j c_j e^{u_j} <= bound */
  private rivalSum(t: number, rivals: readonly number[], weights: readonly number[], logBound: number): ExpQuadratics {
    const forms = rivals.map((j, k) => {
      const [own, other, more] = [this.offsets[t], this.offsets[j], Math.log(weights[k])];
      const size = 2 * (Math.abs(own) + Math.abs(other) + Math.abs(more) + Math.abs(logBound));
      return new DistanceDifference(this.centres[t], this.centres[j], 2 * (other - own + more - logBound), null, size);
    });
    return { kind: 'exp-quadratics', forms, logBound };
  }

  /** δ_t - δ_j >= lead */
  private nearer(t: number, j: number, lead: number): DistanceDifference {
    const [own, other] = [this.offsets[t], this.offsets[j]];
    const ofLead = lead === 0 ? 0 : Math.abs(lead) + LINK_ROUNDINGS;
    const size = 2 * (Math.abs(own) + Math.abs(other) + ofLead);
    return new DistanceDifference(this.centres[t], this.centres[j], 2 * (other - own + lead), null, size);
  }
}

/** The region of a class that has the same probability, 0 or 1, everywhere. */
function everywhere(p: 0 | 1, goal: Goal): Piece[] {
  const isMet = goal.kind === 'interval' ? goal.from <= p && p <= goal.to : p === 1 && goal.margin <= 1;
  return isMet ? [polyhedron([])] : [];
}

const parameterError = (path: string, message: string) =>
  new ElsewiseError('bad-document', message, `model.parameters.${path}`);

function checkMeans(p: { means: number[][]; priors: number[] }, context: FamilyContext): void {
  checkWidth(p.means, context.classes, 'means', 'class');
  checkWidth(p.priors, context.classes, 'priors', 'class');
  for (const [k, row] of p.means.entries()) checkWidth(row, context.inputs, `means[${k}]`);
  const bad = p.priors.findIndex((prior) => prior < 0);
  if (bad >= 0) throw parameterError(`priors[${bad}]`, 'a prior must not be negative');
  if (p.priors.every((prior) => prior === 0))
    throw parameterError('priors', 'at least one class needs a prior above 0');
}

/** Refuses a variance whose inverse is too large to be squared. */
function checkSpread(variances: readonly number[], path: (i: number) => string): void {
  const narrow = variances.findIndex((variance) => variance > 0 && variance < SMALLEST);
  if (narrow >= 0) throw parameterError(path(narrow), `a variance must be at least ${SMALLEST}`);
}

const naiveBayesForm = z.strictObject({
  means: matrix.describe('The mean of each input, by class.'),
  variances: matrix.describe('The variance of each input, by class.'),
  priors: vector.describe('The prior probability of each class.'),
});

function loadNaiveBayes(p: z.output<typeof naiveBayesForm>, context: FamilyContext): Model {
  checkMeans(p, context);
  checkWidth(p.variances, context.classes, 'variances', 'class');
  const offsets = new Float64Array(context.classes);
  const centres = p.variances.map((row, k): Centre => {
    checkWidth(row, context.inputs, `variances[${k}]`);
    const zero = row.findIndex((variance) => !(variance > 0));
    if (zero >= 0)
      throw parameterError(
        `variances[${k}][${zero}]`,
        'a variance must be above 0: fit with smoothing, or drop the constant column',
      );
    checkSpread(row, (i) => `variances[${k}][${i}]`);
    offsets[k] = Math.log(p.priors[k]) - 0.5 * row.reduce((sum, variance) => sum + Math.log(2 * Math.PI * variance), 0);
    const entries = Float64Array.from(row, (variance) => 1 / variance);
    return { at: Float64Array.from(p.means[k]), matrix: { kind: 'diagonal', size: row.length, entries } };
  });
  return new GaussianModel(centres, offsets);
}

export const gaussianNaiveBayes = defineFamily({
  name: 'gaussian-naive-bayes',
  task: 'classification',
  schema: naiveBayesForm,
  load: loadNaiveBayes,
});

const qdaForm = z.strictObject({
  means: matrix.describe('The mean of each input, by class.'),
  covariances: listOf(matrix).min(1).describe('The covariance of the inputs, by class.'),
  priors: vector.describe('The prior probability of each class.'),
});

/** Multiply-adds to invert a matrix, per cube of its size. */
const INVERSION = 6;

function loadQda(p: z.output<typeof qdaForm>, context: FamilyContext): Model {
  checkMeans(p, context);
  checkWidth(p.covariances, context.classes, 'covariances', 'class');
  const work = INVERSION * context.classes * context.inputs ** 3;
  checkMatrixWork(work, 'model.parameters.covariances', 'inverting the covariances', context.bounds);
  const offsets = new Float64Array(context.classes);
  const centres = p.covariances.map((rows, k): Centre => {
    checkWidth(rows, context.inputs, `covariances[${k}]`);
    for (const [i, row] of rows.entries()) checkWidth(row, context.inputs, `covariances[${k}][${i}]`);
    checkSpread(
      rows.map((row, i) => row[i]),
      (i) => `covariances[${k}][${i}][${i}]`,
    );
    const inverse = invertPositive(rows);
    if (!inverse)
      throw parameterError(
        `covariances[${k}]`,
        'is singular or not positive definite: shrink it (reg_param), or drop constant or duplicate columns',
      );
    offsets[k] = Math.log(p.priors[k]) - 0.5 * inverse.logDeterminant;
    return { at: Float64Array.from(p.means[k]), matrix: fullMatrix(inverse.rows) as SymmetricMatrix };
  });
  return new GaussianModel(centres, offsets);
}

export const qda = defineFamily({ name: 'qda', task: 'classification', schema: qdaForm, load: loadQda });
