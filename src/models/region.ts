/**
 * Decision regions. A model family describes the set of inputs that it maps to a goal as a union of pieces; it does not
 * build optimisation problems.
 *
 *   polyhedron   { x : lower_i <= a_i·x <= upper_i  for all i }
 *   exp-sum      a polyhedron and constraints  Σ_j c_j exp(u_j·x + v_j) <= bound  with c_j > 0 (convex)
 *
 *   quadratics   a polyhedron and constraints  q(x) <= 0,  each a difference of two distances (distance-difference.ts)
 *
 *   additive-trees   sums over trees of a gain at the leaf are large enough (tree.ts)
 *
 * `pullBack` carries a piece through preprocessing: the region in the row's own columns.
 */

import { type AffineMap, applyMap, isIdentity, pullBackVector } from '../linalg/affine.js';
import { dot } from '../linalg/vector.js';
import { DistanceDifference } from './distance-difference.js';
import { type Forest, leafOf } from './trees/tree.js';

export interface LinearRow {
  readonly a: Float64Array;
  readonly lower: number;
  readonly upper: number;
}

export interface ExpSum {
  readonly weights: Float64Array;
  readonly exponents: readonly Float64Array[];
  readonly shifts: Float64Array;
  readonly bound: number;
}

export interface Polyhedron {
  readonly kind: 'polyhedron';
  readonly rows: readonly LinearRow[];
}

export interface ExpSumPiece {
  readonly kind: 'exp-sum';
  readonly rows: readonly LinearRow[];
  readonly sums: readonly ExpSum[];
}

export interface QuadraticsPiece {
  readonly kind: 'quadratics';
  readonly rows: readonly LinearRow[];
  readonly quadratics: readonly DistanceDifference[];
}

/** Σ over trees of the leaf's gain >= need. */
export interface TreeMargin {
  /** By node of the forest; only leaves matter. */
  readonly gain: Float64Array;
  readonly need: number;
}

export interface AdditiveTreesPiece {
  readonly kind: 'additive-trees';
  readonly rows: readonly LinearRow[];
  readonly forest: Forest;
  readonly margins: readonly TreeMargin[];
  /** How far rounding may move a sum, in the precision in which the library adds. */
  readonly slack: number;
  /** From columns to the inputs that the trees compare; null: they are the columns. */
  readonly map: AffineMap | null;
  /** The margins are necessary and not enough: the model's word is asked besides. */
  readonly relaxed?: true;
}

export type Piece = Polyhedron | ExpSumPiece | QuadraticsPiece | AdditiveTreesPiece;

/** What the row shall become: a class with a lead over its rivals, or a score or prediction within an interval. */
export type Goal =
  | { readonly kind: 'class'; readonly index: number; readonly margin: number }
  | { readonly kind: 'interval'; readonly index: number; readonly from: number; readonly to: number };

export const polyhedron = (rows: readonly LinearRow[]): Polyhedron => ({ kind: 'polyhedron', rows });

export const atLeast = (a: Float64Array, lower: number): LinearRow => ({ a, lower, upper: Infinity });

export const between = (a: Float64Array, lower: number, upper: number): LinearRow => ({ a, lower, upper });

export function pullBackRow(map: AffineMap, row: LinearRow): LinearRow {
  const { a, shift } = pullBackVector(map, row.a);
  return { a, lower: row.lower - shift, upper: row.upper - shift };
}

function pullBackSum(map: AffineMap, sum: ExpSum): ExpSum {
  const pulled = sum.exponents.map((u) => pullBackVector(map, u));
  return { ...sum, exponents: pulled.map((p) => p.a), shifts: sum.shifts.map((v, j) => v + pulled[j].shift) };
}

/** How each kind of piece is carried through an affine map. */
const PULL_BACK: { [K in Piece['kind']]: (map: AffineMap, piece: Extract<Piece, { kind: K }>) => Piece } = {
  polyhedron: (map, piece) => polyhedron(piece.rows.map((row) => pullBackRow(map, row))),
  'exp-sum': (map, piece) => ({
    kind: 'exp-sum',
    rows: piece.rows.map((row) => pullBackRow(map, row)),
    sums: piece.sums.map((sum) => pullBackSum(map, sum)),
  }),
  quadratics: (map, piece) => ({
    kind: 'quadratics',
    rows: piece.rows.map((row) => pullBackRow(map, row)),
    quadratics: piece.quadratics.map((q) => new DistanceDifference(q.near, q.far, q.constant, map)),
  }),
  'additive-trees': (map, piece) => ({ ...piece, map: isIdentity(map) ? null : map }),
};

export function pullBack(map: AffineMap, piece: Piece): Piece {
  return (PULL_BACK[piece.kind] as (map: AffineMap, piece: Piece) => Piece)(map, piece);
}

/** Whether x lies in the piece, each bound widened by `tolerance`. */
export function contains(piece: Piece, x: Float64Array, tolerance = 0): boolean {
  const inRow = (row: LinearRow) => {
    const value = dot(row.a, x);
    return value >= row.lower - tolerance && value <= row.upper + tolerance;
  };
  if (!piece.rows.every(inRow)) return false;
  if (piece.kind === 'additive-trees') return meetsMargins(piece, x, tolerance);
  if (piece.kind === 'quadratics') return piece.quadratics.every((q) => q.value(x) <= tolerance);
  return piece.kind === 'polyhedron' || piece.sums.every((sum) => expSumLog(sum, x) <= tolerance);
}

/** log Σ_j c_j exp(u_j·x + v_j) - log bound: at most 0 where the constraint holds. */
export function expSumLog(sum: ExpSum, x: Float64Array): number {
  if (sum.bound <= 0) return Infinity;
  const logs = sum.exponents.map((u, j) => Math.log(sum.weights[j]) + dot(u, x) + sum.shifts[j]);
  const top = Math.max(...logs);
  return top + Math.log(logs.reduce((total, value) => total + Math.exp(value - top), 0)) - Math.log(sum.bound);
}

function meetsMargins({ forest, margins, map }: AdditiveTreesPiece, columns: Float64Array, tolerance: number): boolean {
  const x = map ? new Float64Array(map.offset.length) : columns;
  if (map) applyMap(map, columns, x);
  const leaves = Array.from(forest.root, (_, t) => leafOf(forest, t, x));
  return margins.every(({ gain, need }) => leaves.reduce((sum, leaf) => sum + gain[leaf], 0) >= need - tolerance);
}
