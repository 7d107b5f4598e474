/**
 * Decision regions. A model family describes the set of inputs that it maps to a goal as a union of pieces. It does not build optimisation
 * problems. A piece is a conjunction of linear rows and atoms:
 *
 *   row         lower <= a·x <= upper
 *   exp-sum     Σ_j c_j exp(u_j·x + v_j) <= bound  with c_j > 0 (convex), or >= bound
 *   exp-quadratics   the same with differences of distances as exponents (exponents.ts)
 *   quadratic   q(x) <= 0,  a difference of two distances (distance-difference.ts)
 *   additive    lower <= Σ_c a_c f_c(x_c) <= upper,  increasing functions f_c of single columns (monotone.ts)
 *   trees       sums over trees of a gain at the leaf are large enough (tree.ts)
 *   neighbours  the labels of the nearest samples reach the goal (nearest-samples.ts)
 *   network     the activations of a network's layers lie in a piece (network.ts)
 *   condition   columns meet a condition that is not the model's and can only be evaluated
 *   smooth      the model's own margin is at least 0; it has a gradient and no closed form
 *   oracle      the model's own margin is at least 0; only scores are known
 *
 * A region without pieces is a proof that no input reaches the goal. A family that cannot describe its region returns `unknown`, which
 * proves nothing. `pullBack` maps a piece through preprocessing to the row's own columns.
 */

import { type AffineMap, applyMap, isIdentity, pullBackVector, sizesOf } from '../linalg/affine.js';
import { dot, logSumExp } from '../linalg/vector.js';
import type { Curves } from './curves/monotone.js';
import type { DistanceDifference } from './distance-difference.js';
import type { NearestSamples } from './machines/nearest-samples.js';
import { Network, type NetworkLayer } from './machines/network.js';
import { type Forest, leafOf } from './trees/tree.js';

export interface LinearRow {
  readonly a: Float64Array;
  readonly lower: number;
  readonly upper: number;
  /** Open ends, as in x < 5. Absent: all ends are closed. Only rows of a policy have open ends. */
  readonly open?: { readonly lower: boolean; readonly upper: boolean };
  /** The tolerance of the ends, as a share of the terms. Only rows of a policy have one. */
  readonly tolerance?: number;
  /** The sums by which the model itself decides about the row. Absent: the terms of the row. */
  readonly arithmetic?: RowArithmetic;
}

/**
 * Where a row is a difference of numbers that the model computes separately, rounding is relative to those numbers, not to the row:
 * |terms|·|x| + constant for a sum. For distances the form gives the error.
 */
export interface RowArithmetic {
  /** Sizes by column. */
  readonly terms: Float64Array;
  readonly constant: number;
  /** The row is  form(x) <= 0,  and the model compares the two distances. */
  readonly distances?: DistanceDifference;
}

export interface ExpSum {
  readonly kind: 'exp-sum';
  /** The model's own sums behind an exponent. */
  readonly arithmetic: RowArithmetic;
  readonly weights: Float64Array;
  readonly exponents: readonly Float64Array[];
  readonly shifts: Float64Array;
  readonly bound: number;
  /** The sum is at least the bound, instead of at most. */
  readonly atLeast?: true;
}

/** Σ_j exp(w_j(x)) <= 1, or >= 1, with  2 w_j  a difference of distances: of the target's centre and a rival's. */
export interface ExpQuadratics {
  readonly kind: 'exp-quadratics';
  /** By rival:  2 w_j,  all with the same centre near. */
  readonly forms: readonly DistanceDifference[];
  /** The part of every w_j that comes from the bound of the sum. */
  readonly logBound: number;
  /** The sum is at least 1, instead of at most. */
  readonly atLeast?: true;
}

export interface QuadraticAtom {
  readonly kind: 'quadratic';
  readonly form: DistanceDifference;
}

/** A row over the values of increasing functions of columns. */
export interface AdditiveAtom {
  readonly kind: 'additive';
  readonly row: LinearRow;
  readonly curves: Curves;
}

/** Σ over trees of the leaf's gain >= need. */
export interface TreeMargin {
  /** By node of the forest; only leaves matter. */
  readonly gain: Float64Array;
  readonly need: number;
}

export interface TreesAtom {
  readonly kind: 'trees';
  readonly forest: Forest;
  readonly margins: readonly TreeMargin[];
  /** The largest rounding error of a sum, in the precision of the library's addition. */
  readonly slack: number;
  /** From columns to the inputs that the trees compare. Null: the inputs are the columns. */
  readonly map: AffineMap | null;
  /** By column: the value that replaces a missing value, where the trees read columns instead of the model's inputs. */
  readonly imputed?: Float64Array;
  /** The margins are necessary but not sufficient: the model must be asked as well. */
  readonly relaxed?: true;
}

/** The labels of the k nearest samples reach the goal. */
export interface NeighboursAtom {
  readonly kind: 'neighbours';
  readonly nearest: NearestSamples;
  /** By sample: its class, or the number of a regressor. */
  readonly labels: Float64Array;
  /** 0 for a regressor. */
  readonly classes: number;
  /** All neighbours have the same weight: the set of the k nearest decides. */
  readonly isUniform: boolean;
  readonly goal: Goal;
  /** Whether inputs reach the goal, decided by the model itself. */
  meets(inputs: Float64Array): boolean;
  /** From columns to the inputs in which distances are measured. Null: the inputs are the columns. */
  readonly map: AffineMap | null;
}

/** The activations of the last of these layers lie in the piece `head`. All units are relu or identity. */
export interface NetworkAtom {
  readonly kind: 'network';
  readonly layers: readonly NetworkLayer[];
  readonly head: Piece;
  /** From columns to the first layer's inputs. Null: the inputs are the columns. */
  readonly map: AffineMap | null;
}

/** A condition on columns that is not the model's. Dropping the atom gives a relaxation. */
export interface ConditionAtom {
  readonly kind: 'condition';
  /** The approximate number of operations for one evaluation. */
  readonly flops: number;
  meets(columns: Float64Array): boolean;
}

/** Only the model itself decides: `problem.margin`, and for `smooth` also `problem.gradient`. */
export interface OpaqueAtom {
  readonly kind: 'smooth' | 'oracle';
}

export type Atom =
  | ExpSum
  | ExpQuadratics
  | QuadraticAtom
  | AdditiveAtom
  | TreesAtom
  | NeighboursAtom
  | NetworkAtom
  | ConditionAtom
  | OpaqueAtom;
export type AtomKind = Atom['kind'];
export type AtomOf<K extends AtomKind> = Extract<Atom, { kind: K }>;

/** All rows and all atoms hold. */
export interface Piece {
  readonly rows: readonly LinearRow[];
  readonly atoms: readonly Atom[];
}

/** Alternative pieces. An empty list: it is proved that no input reaches the goal. */
export type Region = readonly Piece[] | 'unknown';

/** The goal of a row: a class with a lead over its rivals, or a score or prediction within an interval. */
export type Goal =
  | { readonly kind: 'class'; readonly index: number; readonly margin: number }
  | { readonly kind: 'interval'; readonly index: number; readonly from: number; readonly to: number };

export const polyhedron = (rows: readonly LinearRow[]): Piece => ({ rows, atoms: [] });

export const atLeast = (a: Float64Array, lower: number): LinearRow => ({ a, lower, upper: Infinity });

export const between = (a: Float64Array, lower: number, upper: number): LinearRow => ({ a, lower, upper });

export function pullBackRow(map: AffineMap, row: LinearRow): LinearRow {
  const { a, shift } = pullBackVector(map, row.a);
  const arithmetic = pullBackArithmetic(map, arithmeticOf(row));
  return { a, lower: row.lower - shift, upper: row.upper - shift, arithmetic };
}

/** The arithmetic of a row. By default that of its terms and ends. */
export const arithmeticOf = ({ a, lower, upper, arithmetic }: LinearRow): RowArithmetic =>
  arithmetic ?? { terms: a.map(Math.abs), constant: Math.max(finiteSize(lower), finiteSize(upper)) };

const finiteSize = (end: number): number => (Number.isFinite(end) ? Math.abs(end) : 0);

function pullBackArithmetic(map: AffineMap, { terms, constant, distances }: RowArithmetic): RowArithmetic {
  const { a, shift } = pullBackVector(sizesOf(map), terms);
  return { terms: a, constant: constant + shift, ...(distances && { distances: distances.behind(map) }) };
}

function pullBackSum(map: AffineMap, sum: ExpSum): ExpSum {
  const pulled = sum.exponents.map((u) => pullBackVector(map, u));
  const arithmetic = pullBackArithmetic(map, sum.arithmetic);
  return {
    ...sum,
    exponents: pulled.map((p) => p.a),
    shifts: sum.shifts.map((v, j) => v + pulled[j].shift),
    arithmetic,
  };
}

/** By kind of atom: the atom behind an affine map. */
const PULL_BACK: { [K in AtomKind]: (map: AffineMap, atom: AtomOf<K>) => Atom } = {
  'exp-sum': pullBackSum,
  'exp-quadratics': (map, sum) => ({ ...sum, forms: sum.forms.map((form) => form.behind(map)) }),
  quadratic: (map, { kind, form }) => ({ kind, form: form.behind(map) }),
  // The functions read columns: no affine step comes before them.
  additive: (_, atom) => atom,
  trees: (map, atom) => ({ ...atom, map: isIdentity(map) ? null : map }),
  neighbours: (map, atom) => ({ ...atom, map: isIdentity(map) ? null : map }),
  network: (map, atom) => ({ ...atom, map: isIdentity(map) ? null : map }),
  condition: (_, atom) => atom,
  smooth: (_, atom) => atom,
  oracle: (_, atom) => atom,
};

export function pullBack(map: AffineMap, { rows, atoms }: Piece): Piece {
  return {
    rows: rows.map((row) => pullBackRow(map, row)),
    atoms: atoms.map((atom) => (PULL_BACK[atom.kind] as (map: AffineMap, atom: Atom) => Atom)(map, atom)),
  };
}

/**
 * A piece over the values of increasing functions of columns, as a piece over columns. Null: the piece is more than rows, or a row compares
 * distances.
 */
export function behindCurves(curves: Curves, { rows, atoms }: Piece): Piece | null {
  if (atoms.length > 0 || rows.some((row) => row.arithmetic?.distances)) return null;
  return { rows: [], atoms: rows.map((row) => ({ kind: 'additive', row, curves })) };
}

/** By kind of atom: whether x meets it, its bound widened by `tolerance`. Atoms that only the model can decide count as met. */
const MEETS: { [K in AtomKind]: (atom: AtomOf<K>, x: Float64Array, tolerance: number) => boolean } = {
  'exp-sum': (sum, x, tolerance) => isWithin(expSumLog(sum, x), sum.atLeast, tolerance),
  'exp-quadratics': (sum, x, tolerance) => isWithin(logSumExp(halfValues(sum.forms, x)), sum.atLeast, tolerance),
  quadratic: ({ form }, x, tolerance) => form.value(x) <= tolerance,
  additive: ({ row, curves }, x, tolerance) => isInRow(row, curves.run(x), tolerance),
  trees: meetsMargins,
  neighbours: ({ map, meets }, x) => meets(map ? mapped(map, x) : x),
  network: ({ layers, head, map }, x, tolerance) =>
    contains(head, new Network(layers).run(map ? mapped(map, x) : x), tolerance),
  condition: ({ meets }, x) => meets(x),
  smooth: () => true,
  oracle: () => true,
};

/** Whether x lies in the piece, each bound widened by `tolerance`. */
export function contains({ rows, atoms }: Piece, x: Float64Array, tolerance = 0): boolean {
  const isMet = (atom: Atom) =>
    (MEETS[atom.kind] as (a: Atom, x: Float64Array, t: number) => boolean)(atom, x, tolerance);
  return rows.every((row) => isInRow(row, x, tolerance)) && atoms.every(isMet);
}

function isInRow({ a, lower, upper }: LinearRow, x: Float64Array, tolerance: number): boolean {
  const value = dot(a, x);
  return value >= lower - tolerance && value <= upper + tolerance;
}

/** log Σ_j c_j exp(u_j·x + v_j) - log bound: at most 0 where the sum is at most the bound. */
export function expSumLog(sum: ExpSum, x: Float64Array): number {
  if (sum.bound <= 0) return Infinity;
  const logs = sum.shifts.map((shift, j) => Math.log(sum.weights[j]) + dot(sum.exponents[j], x) + shift);
  return logSumExp(logs) - Math.log(sum.bound);
}

/** w at x. */
export const halfValues = (forms: readonly DistanceDifference[], x: Float64Array): Float64Array =>
  Float64Array.from(forms, (form) => 0.5 * form.value(x));

const isWithin = (log: number, atLeast: boolean | undefined, tolerance: number): boolean =>
  atLeast ? log >= -tolerance : log <= tolerance;

function mapped(map: AffineMap, columns: Float64Array): Float64Array {
  const x = new Float64Array(map.offset.length);
  applyMap(map, columns, x);
  return x;
}

function meetsMargins({ forest, margins, map }: TreesAtom, columns: Float64Array, tolerance: number): boolean {
  const x = map ? mapped(map, columns) : columns;
  const leaves = Array.from(forest.root, (_, t) => leafOf(forest, t, x));
  return margins.every(({ gain, need }) => leaves.reduce((sum, leaf) => sum + gain[leaf], 0) >= need - tolerance);
}
