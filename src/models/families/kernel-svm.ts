/**
 * Support vector machines with kernels: SVC, NuSVC, SVR and NuSVR, by libsvm's arithmetic.
 *
 *   f(x) = Σ_i c_i K(v_i, x) + b
 *
 *   regressor         the prediction is f
 *   two classes       second class where f >= 0;                       scores -f, f
 *   several classes   a sum for every pair of classes, over the support vectors of both; votes (one-vs-one.ts)
 *
 * With a linear kernel f is w·x + b with w = Σ c_i v_i. The region is then a slab, and for up to four classes a union of polyhedra, one for
 * each winning set of votes. Other kernels have no closed region: only the margin and its slope are known.
 */
import { z } from 'zod';
import { listOf } from '../../documents/collections.js';
import { ElsewiseError } from '../../documents/error.js';
import { bounded, matrix, vector } from '../../documents/model-document.js';
import {
  checkWidth,
  defineFamily,
  EVEN_SCORES,
  type FamilyContext,
  type Model,
  refuseGoal,
  type Thresholds,
} from '../family.js';
import { type CoefficientRange, type KernelForm, type KernelSum, KernelSums, kernelOf } from '../machines/kernels.js';
import { OneVsOne } from '../machines/one-vs-one.js';
import { goalMargin, insideOf, nearerEnd, rivalOf } from '../margins.js';
import { between, type Goal, type LinearRow, polyhedron, type Region } from '../region.js';
import { rowsOf, type SharedParts, shareRows } from '../shared-parts.js';

/** More classes than this have too many winning sets of votes. */
const MOST_CLASSES_OF_PIECES = 4;

/** A sum with a linear kernel as a row:  lower <= Σ c_i v_i·x + b <= upper. */
function rowOf({ ranges, intercept }: KernelSum, { vectors }: KernelSums, lower: number, upper: number): LinearRow {
  const a = new Float64Array(vectors[0].length);
  const terms = new Float64Array(a.length);
  for (const { coefficients, from, to } of ranges)
    for (let i = from; i < to; i++)
      for (let j = 0; j < a.length; j++) {
        const term = coefficients[i] * vectors[i][j];
        a[j] += term;
        terms[j] += Math.abs(term);
      }
  const ends = [lower, upper].filter(Number.isFinite).map(Math.abs);
  const constant = Math.abs(intercept) + Math.max(0, ...ends);
  return { ...between(a, lower - intercept, upper - intercept), arithmetic: { terms, constant } };
}

/** One sum: a regressor, or the lead of the second of two classes. */
class OneSum implements Model {
  readonly rawOutputs = 1;
  readonly thresholds?: Thresholds;

  constructor(
    private readonly sums: KernelSums,
    private readonly sum: KernelSum,
    private readonly isLinear: boolean,
    private readonly isRegressor: boolean,
    readonly shared: SharedParts,
  ) {
    if (!isRegressor) this.thresholds = EVEN_SCORES;
  }

  raw(x: Float64Array, out: Float64Array): void {
    this.sums.begin(x);
    out[0] = this.sums.sum(this.sum);
  }

  scores(raw: Float64Array, out: Float64Array): void {
    out[0] = this.isRegressor ? raw[0] : -raw[0];
    if (!this.isRegressor) out[1] = raw[0];
  }

  decide(raw: Float64Array): number {
    return !this.isRegressor && raw[0] >= 0 ? 1 : 0;
  }

  achieves(raw: Float64Array, goal: Goal): boolean {
    const [lower, upper] = this.ends(goal);
    const isDecided = this.isRegressor
      ? goal.kind === 'interval'
      : goal.kind === 'interval' || this.decide(raw) === goal.index;
    return isDecided && raw[0] >= lower && raw[0] <= upper;
  }

  margin(raw: Float64Array, goal: Goal): number {
    return insideOf(raw[0], ...this.ends(goal));
  }

  gradient(x: Float64Array, goal: Goal, out: Float64Array): void {
    this.sums.begin(x);
    const [from, to] = this.ends(goal);
    const sign = nearerEnd(this.sums.sum(this.sum), { kind: 'interval', index: 0, from, to });
    this.sums.addSlope(this.sum, x, sign, out.fill(0));
  }

  region(goal: Goal): Region {
    if (goal.kind === 'class' && this.isRegressor)
      return refuseGoal('a regressor', 'classes: its target is a number or an interval');
    const [lower, upper] = this.ends(goal);
    if (!(lower <= upper)) return [];
    return this.isLinear ? [polyhedron([rowOf(this.sum, this.sums, lower, upper)])] : 'unknown';
  }

  /** The goal as an interval of f. */
  private ends(goal: Goal): [number, number] {
    const isSecond = this.isRegressor || goal.index === 1;
    if (goal.kind === 'class') return isSecond ? [goal.margin, Infinity] : [-Infinity, -goal.margin];
    return isSecond ? [goal.from, goal.to] : [-goal.to, -goal.from];
  }
}

/** One sum for every pair of classes, and votes. */
class PairSums implements Model {
  readonly rawOutputs: number;
  private readonly shown: Float64Array;

  constructor(
    private readonly sums: KernelSums,
    private readonly pairs: readonly KernelSum[],
    private readonly rule: OneVsOne,
    private readonly isLinear: boolean,
    readonly shared: SharedParts,
  ) {
    this.rawOutputs = pairs.length;
    this.shown = new Float64Array(rule.classes);
  }

  raw(x: Float64Array, out: Float64Array): void {
    this.sums.begin(x);
    for (let p = 0; p < out.length; p++) out[p] = this.sums.sum(this.pairs[p]);
  }

  scores(raw: Float64Array, out: Float64Array): void {
    this.rule.show(raw, out);
  }

  decide(raw: Float64Array): number {
    return this.rule.winner(raw);
  }

  achieves(raw: Float64Array, goal: Goal): boolean {
    if (goal.kind === 'class' && this.decide(raw) !== goal.index) return false;
    return (goal.kind === 'class' && goal.margin === 0) || this.shownMargin(raw, goal) >= 0;
  }

  private shownMargin(raw: Float64Array, goal: Goal): number {
    this.scores(raw, this.shown);
    return goalMargin(this.shown, goal);
  }

  margin(raw: Float64Array, goal: Goal): number {
    if (goal.kind === 'interval') return this.shownMargin(raw, goal);
    const lead = this.rule.lead(raw, goal.index).value;
    if (goal.margin === 0) return lead;
    const shown = this.shownMargin(raw, goal);
    return this.decide(raw) === goal.index ? shown : Math.min(lead, shown);
  }

  gradient(x: Float64Array, goal: Goal, out: Float64Array): void {
    const raw = new Float64Array(this.rawOutputs);
    this.raw(x, raw);
    out.fill(0);
    const slopes = this.slopesByPair(raw, goal);
    for (let p = 0; p < slopes.length; p++) if (slopes[p] !== 0) this.sums.addSlope(this.pairs[p], x, slopes[p], out);
  }

  /** The slope of the margin by each pair's value. */
  private slopesByPair(raw: Float64Array, goal: Goal): Float64Array {
    const own = this.rule.shownSlopes(raw, goal.index);
    const shown = this.shownMargin(raw, goal);
    if (goal.kind === 'interval') {
      const sign = nearerEnd(this.shown[goal.index], goal);
      return own.map((slope) => sign * slope);
    }
    const { value, pair, sign } = this.rule.lead(raw, goal.index);
    const byLead = goal.margin === 0 || (this.decide(raw) !== goal.index && value <= shown);
    if (byLead) return new Float64Array(raw.length).fill(sign, pair, pair + 1);
    const rival = this.rule.shownSlopes(raw, rivalOf(this.shown, goal.index));
    return own.map((slope, p) => slope - rival[p]);
  }

  region(goal: Goal): Region {
    const isPolyhedral = this.isLinear && goal.kind === 'class' && goal.margin === 0;
    if (!isPolyhedral || this.rule.classes > MOST_CLASSES_OF_PIECES) return 'unknown';
    return this.rule
      .winningSigns(goal.index)
      .map((signs) => polyhedron(signs.flatMap((sign, p) => this.signed(p, sign))));
  }

  private signed(p: number, sign: 1 | -1 | null): LinearRow[] {
    if (sign === null) return [];
    return [rowOf(this.pairs[p], this.sums, sign > 0 ? 0 : -Infinity, sign > 0 ? Infinity : 0)];
  }
}

const form = z.strictObject({
  supportVectors: matrix.describe('The inputs of each support vector.'),
  kernel: z
    .strictObject({
      type: z.enum(['linear', 'rbf', 'poly', 'sigmoid']).describe('The kernel, as in libsvm.'),
      gamma: bounded.optional().describe('The factor of `rbf`, `poly` and `sigmoid`.'),
      coef0: bounded.default(0).describe('The constant of `poly` and `sigmoid`.'),
      degree: z.int().min(0).max(1000).default(3).describe('The degree of `poly`.'),
    })
    .describe('The kernel and its parameters.'),
  dualCoefficients: z
    .union([vector, matrix])
    .describe('The coefficient of each support vector. Several classes: one list fewer than classes, as in libsvm.'),
  intercept: z
    .union([bounded, vector])
    .describe('The intercept. Several classes: one number for each pair of classes.'),
  supportCounts: listOf(z.int().min(0))
    .optional()
    .describe('The number of support vectors of each class. Needed for several classes.'),
});

type Parameters = z.output<typeof form>;

const parameterError = (path: string, message: string) =>
  new ElsewiseError('bad-document', message, `model.parameters.${path}`);

function kernelForm({ type, gamma, coef0, degree }: Parameters['kernel']): KernelForm {
  if (type === 'linear') return { type, gamma: 1, coef0, degree };
  if (gamma === undefined) throw parameterError('kernel.gamma', `the kernel "${type}" needs its gamma`);
  return { type, gamma, coef0, degree };
}

/** Rows of coefficients: one row, or one less than the number of classes. */
function readCoefficients(
  { dualCoefficients, supportCounts, supportVectors }: Parameters,
  context: FamilyContext,
): Float64Array {
  const isMatrix = Array.isArray(dualCoefficients[0]);
  if (isMatrix !== (supportCounts !== undefined))
    throw parameterError('dualCoefficients', 'give a list, or a list per class with supportCounts');
  const rows = (isMatrix ? dualCoefficients : [dualCoefficients]) as number[][];
  if (isMatrix) checkWidth(rows, context.classes - 1, 'dualCoefficients', 'class but one');
  for (const [k, row] of rows.entries())
    checkWidth(row, supportVectors.length, isMatrix ? `dualCoefficients[${k}]` : 'dualCoefficients', 'support vector');
  return shareRows(rows);
}

function readVectors({ supportVectors }: Parameters, { inputs }: FamilyContext): Float64Array {
  for (const [i, row] of supportVectors.entries()) checkWidth(row, inputs, `supportVectors[${i}]`);
  return shareRows(supportVectors);
}

/** The start of each class's support vectors, and the end of the last ones. */
function startsOf(counts: readonly number[], vectors: number, { classes }: FamilyContext): number[] {
  checkWidth(counts, classes, 'supportCounts', 'class');
  const starts = [0];
  for (const count of counts) starts.push(starts.at(-1)! + count);
  if (starts[classes] !== vectors)
    throw parameterError('supportCounts', `they add up to ${starts[classes]}, there are ${vectors} support vectors`);
  return starts;
}

function pairSums(
  rows: readonly Float64Array[],
  starts: readonly number[],
  intercepts: readonly number[],
  rule: OneVsOne,
) {
  const range = (k: number, row: number): CoefficientRange => ({
    coefficients: rows[row],
    from: starts[k],
    to: starts[k + 1],
  });
  return rule.pairs.map(({ low, high }, p) => ({
    ranges: [range(low, high - 1), range(high, low)],
    intercept: intercepts[p],
  }));
}

const opposite = ({ ranges, intercept }: KernelSum): KernelSum => ({
  ranges: ranges.map((range) => ({ ...range, coefficients: range.coefficients.map((value) => -value) })),
  intercept: -intercept,
});

function loadKernelSvm(p: Parameters, context: FamilyContext): Model {
  const kernel = kernelForm(p.kernel);
  const shared = {
    supportVectors: (context.shared?.supportVectors as Float64Array | undefined) ?? readVectors(p, context),
    dualCoefficients: (context.shared?.dualCoefficients as Float64Array | undefined) ?? readCoefficients(p, context),
  };
  const vectors = rowsOf(shared.supportVectors, context.inputs);
  const rows = rowsOf(shared.dualCoefficients, vectors.length);
  const sums = new KernelSums(kernelOf(kernel), vectors);
  const intercepts = typeof p.intercept === 'number' ? [p.intercept] : p.intercept;
  const isLinear = kernel.type === 'linear';
  if (!p.supportCounts) {
    if (context.classes > 2) throw parameterError('supportCounts', `${context.classes} classes need them`);
    checkWidth(intercepts, 1, 'intercept', 'sum');
    const ranges = [{ coefficients: rows[0], from: 0, to: vectors.length }];
    return new OneSum(sums, { ranges, intercept: intercepts[0] }, isLinear, context.classes === 0, shared);
  }
  if (context.classes === 0) throw parameterError('supportCounts', 'a regressor has none');
  const starts = startsOf(p.supportCounts, vectors.length, context);
  const rule = new OneVsOne(context.classes);
  checkWidth(intercepts, rule.pairs.length, 'intercept', 'pair of classes');
  const pairs = pairSums(rows, starts, intercepts, rule);
  // libsvm's value for two classes is positive for the first class.
  if (context.classes === 2) return new OneSum(sums, opposite(pairs[0]), isLinear, false, shared);
  return new PairSums(sums, pairs, rule, isLinear, shared);
}

export const kernelSvm = defineFamily({
  name: 'kernel-svm',
  task: 'either',
  schema: form,
  shares: ['supportVectors', 'dualCoefficients'],
  load: loadKernelSvm,
});
