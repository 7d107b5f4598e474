/**
 * Learning vector quantisation: the label of the nearest prototype; ties go to the earlier prototype (survey, 3.6).
 *
 *   d_p(x) = (x - w_p)ᵀ R_p (x - w_p),      R_p: identity, one for all, one per class, or one per prototype
 *
 * GLVQ, GMLVQ and LGMLVQ differ in R; MRSLVQ and LMRSLVQ are trained with probabilities but predict by the same rule. Scores: minus the
 * distance to the nearest prototype of each class. The largest wins. Region of a class: the union, over its prototypes p, of  d_p <=
 * d_q  for every prototype q of another class (its own class may be nearer still: that only moves x into another piece). Equal R give
 * linear rows, otherwise quadratics. They follow from the distances themselves, without the factor ½ of some authors.
 */
import { z } from 'zod';
import { listOf } from '../../documents/collections.js';
import { ElsewiseError } from '../../documents/error.js';
import { matrix } from '../../documents/model-document.js';
import { isPositiveSemidefinite } from '../../linalg/symmetric.js';
import { addQuadraticGradient, fullMatrix, identity, type SymmetricMatrix } from '../../linalg/symmetric-matrix.js';
import { type Centre, DistanceDifference } from '../distance-difference.js';
import { checkWidth, defineFamily, type FamilyContext, type Model, refuseGoal } from '../family.js';
import { insideOf, nearerEnd } from '../margins.js';
import { distanceTo, nearerPiece } from '../prototype-pieces.js';
import type { Goal, Piece } from '../region.js';

class LvqModel implements Model {
  readonly rawOutputs: number;

  constructor(
    private readonly prototypes: readonly Centre[],
    private readonly classOf: Int32Array,
  ) {
    this.rawOutputs = prototypes.length;
  }

  /** Raw output: the distance to every prototype. */
  raw(x: Float64Array, out: Float64Array): void {
    for (let p = 0; p < out.length; p++) out[p] = distanceTo(this.prototypes[p], x);
  }

  scores(raw: Float64Array, out: Float64Array): void {
    out.fill(-Infinity);
    for (let p = 0; p < raw.length; p++) out[this.classOf[p]] = Math.max(out[this.classOf[p]], -raw[p]);
  }

  decide(raw: Float64Array): number {
    let nearest = 0;
    for (let p = 1; p < raw.length; p++) if (raw[p] < raw[nearest]) nearest = p;
    return this.classOf[nearest];
  }

  achieves(raw: Float64Array, goal: Goal): boolean {
    const [own, other] = this.nearestOf(raw, goal.index);
    if (goal.kind === 'interval') return -own >= goal.from && -own <= goal.to;
    return this.decide(raw) === goal.index && other - own >= goal.margin;
  }

  private nearestOf(raw: Float64Array, index: number): [own: number, other: number] {
    let own = Infinity;
    let other = Infinity;
    for (let p = 0; p < raw.length; p++) {
      if (this.classOf[p] === index) own = Math.min(own, raw[p]);
      else other = Math.min(other, raw[p]);
    }
    return [own, other];
  }

  margin(raw: Float64Array, goal: Goal): number {
    const [own, other] = this.nearestOf(raw, goal.index);
    return goal.kind === 'interval' ? insideOf(-own, goal.from, goal.to) : other - own - goal.margin;
  }

  gradient(x: Float64Array, goal: Goal, out: Float64Array): void {
    const raw = new Float64Array(this.rawOutputs);
    this.raw(x, raw);
    const [own, other] = this.nearestOf(raw, goal.index);
    const away = (distance: number, factor: number) => {
      const { at, matrix } = this.prototypes[raw.indexOf(distance)];
      addQuadraticGradient(matrix, x, at, factor, out);
    };
    out.fill(0);
    if (Number.isNaN(own + other)) return; // below the domain of a function of a monotone step
    away(own, -nearerEnd(-own, goal));
    if (goal.kind === 'class' && other < Infinity) away(other, 1);
  }

  region(goal: Goal): Piece[] {
    if (goal.kind === 'interval') return refuseGoal('lvq', 'interval of scores: its target is a class');
    const all = [...this.prototypes.keys()];
    const own = all.filter((p) => this.classOf[p] === goal.index);
    const others = all.filter((p) => this.classOf[p] !== goal.index);
    return own.map((p) =>
      nearerPiece(others.map((q) => new DistanceDifference(this.prototypes[p], this.prototypes[q], goal.margin))),
    );
  }
}

const lvqForm = z.strictObject({
  prototypes: matrix.describe('The inputs of each prototype.'),
  labels: listOf(z.string()).min(1).describe('The class of each prototype.'),
  relevance: matrix
    .optional()
    .describe('The positive semidefinite matrix of the distance, for all prototypes. Default: the Euclidean distance.'),
  relevances: listOf(matrix)
    .min(1)
    .optional()
    .describe('A matrix for each prototype, or for each class, in place of `relevance`.'),
});

type LvqParameters = z.output<typeof lvqForm>;

/** Pairs of prototypes of two classes in a region, and entries of their rows. A plan cannot hold more. */
const MOST_PAIRS = 300_000;
const MOST_ENTRIES = 1e7;

/** A region has one row for each pair of a prototype of the class and a prototype of another class. */
function checkPairs(classOf: Int32Array, { classes, inputs }: FamilyContext): void {
  const counts = new Float64Array(classes);
  for (const k of classOf) counts[k]++;
  const pairs = Math.max(...counts.map((count) => count * (classOf.length - count)));
  const most = Math.min(MOST_PAIRS, Math.floor(MOST_ENTRIES / inputs));
  if (pairs > most)
    throw parameterError(
      'prototypes',
      `${classOf.length} prototypes make ${pairs} pairs of two classes, at most ${most} are supported: merge prototypes`,
    );
}

const parameterError = (path: string, message: string) =>
  new ElsewiseError('bad-document', message, `model.parameters.${path}`);

function loadLvq(p: LvqParameters, context: FamilyContext): Model {
  checkWidth(p.labels, p.prototypes.length, 'labels', 'prototype');
  for (const [k, row] of p.prototypes.entries()) checkWidth(row, context.inputs, `prototypes[${k}]`);
  const classOf = Int32Array.from(p.labels, (label, k) => {
    const index = context.labels.indexOf(label);
    if (index < 0) throw parameterError(`labels[${k}]`, `"${label}" is not among the classes`);
    return index;
  });
  checkPairs(classOf, context);
  const matrices = relevancesOf(p, classOf, context);
  const centres = p.prototypes.map((row, k): Centre => ({ at: Float64Array.from(row), matrix: matrices[k] }));
  return new LvqModel(centres, classOf);
}

/** The matrix of each prototype. A shared matrix is the same object, so that the quadratic terms cancel. */
function relevancesOf(p: LvqParameters, classOf: Int32Array, context: FamilyContext): SymmetricMatrix[] {
  if (p.relevance && p.relevances) throw parameterError('relevances', 'give relevance or relevances, not both');
  if (p.relevance) return p.prototypes.map(always(readRelevance(p.relevance, 'relevance', context.inputs)));
  if (!p.relevances) return p.prototypes.map(always(identity(context.inputs)));
  const read = p.relevances.map((rows, k) => readRelevance(rows, `relevances[${k}]`, context.inputs));
  if (read.length === p.prototypes.length) return read;
  if (read.length === context.classes) return Array.from(classOf, (k) => read[k]);
  throw parameterError(
    'relevances',
    `expected one matrix per prototype (${p.prototypes.length}) or per class (${context.classes}), got ${read.length}`,
  );
}

const always =
  <T>(value: T) =>
  () =>
    value;

function readRelevance(rows: readonly (readonly number[])[], path: string, inputs: number): SymmetricMatrix {
  checkWidth(rows, inputs, path);
  for (const [i, row] of rows.entries()) checkWidth(row, inputs, `${path}[${i}]`);
  if (!isPositiveSemidefinite(rows)) throw parameterError(path, 'is not symmetric positive semidefinite');
  return fullMatrix(rows);
}

export const lvq = defineFamily({ name: 'lvq', task: 'classification', schema: lvqForm, load: loadLvq });
