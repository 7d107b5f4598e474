/**
 * Problems as plain data:  minimise cost(x' - x) + term(x')  subject to  x' in piece,  x' in the person's domain,  links, clauses.
 *
 * Most problems have no term. A term is at least 0: a lower bound of the cost is a lower bound of the total. Solvers without `takesTerm`
 * never get a problem with a term (solvers/index.ts).
 *
 * A problem contains no row: the row, as a `Domain`, changes from call to call. A solver accepts or refuses a problem by its traits.
 */
import type { FeatureSpace } from '../models/features.js';
import type { AtomKind, AtomOf, LinearRow, Piece } from '../models/region.js';
import type { Cost, Norm } from '../policy/cost.js';
import type { CostTerm } from '../policy/plausibility/plausibility-measure.js';
import type { FeatureRule } from '../policy/rules.js';

/** At least one of the rows holds. */
export interface RowClause {
  readonly rows: readonly LinearRow[];
}

export interface Traits {
  readonly norm: Norm;
  /** The number of linear rows that always hold: of the region and of the policy's constraints. */
  readonly rows: number;
  /** Some feature that may change has steps, ranks or categories. */
  readonly discrete: boolean;
  /** Some continuous feature is reported with a fixed number of decimals. */
  readonly rounded: boolean;
  /** A limit of changes is below the number of features. */
  readonly capped: boolean;
  /** The policy couples features by linear rows. */
  readonly linked: boolean;
  /** The policy has constraints that are alternatives. */
  readonly disjunctive: boolean;
  /** All rows are linear: no curved constraint. */
  readonly linear: boolean;
}

export interface Problem {
  readonly space: FeatureSpace;
  readonly rules: readonly FeatureRule[];
  readonly piece: Piece;
  readonly cost: Cost;
  /** A term that is minimised together with the cost. Null: none. */
  readonly term: CostTerm | null;
  /** Linear rows of the policy, in columns. */
  readonly links: readonly LinearRow[];
  readonly clauses: readonly RowClause[];
  /** The largest number of changed features; Infinity: no limit. */
  readonly maxChanges: number;
  readonly traits: Traits;
  /** Rows of the training set, by feature, for solvers that start from examples. */
  readonly samples: readonly Float64Array[];
  /** Whether columns reach the goal, decided by the model itself. */
  reaches(columns: Float64Array): boolean;
  /** Whether columns reach the goal and are plausible where the policy requires it. */
  holds(columns: Float64Array): boolean;
  /** Whether columns that hold do so for every resolution of ties in the model. Absent: the model has no ties that rounding decides. */
  readonly isClear?: (columns: Float64Array) => boolean;
  /** The distance of columns inside the goal, in the model's own measure; at least 0 where `holds` is true. */
  margin(columns: Float64Array): number;
  /** The slope of `margin` by column. Null: the model has none. */
  readonly gradient: ((columns: Float64Array, out: Float64Array) => void) | null;
}

/** The rows that every linear solver has to respect: first the region's, then the policy's. */
export function linearRows(problem: Problem): LinearRow[] {
  return [...problem.piece.rows, ...problem.links];
}

/** The atoms of a kind that answers have to meet. */
export function atomsOf<K extends AtomKind>({ piece }: Pick<Problem, 'piece'>, kind: K): AtomOf<K>[] {
  return piece.atoms.filter((atom): atom is AtomOf<K> => atom.kind === kind);
}

/** All atoms if they are of one kind; else an empty list. */
export function onlyAtoms<K extends AtomKind>(problem: Pick<Problem, 'piece'>, kind: K): AtomOf<K>[] {
  const own = atomsOf(problem, kind);
  return own.length === problem.piece.atoms.length ? own : [];
}

export function withPiece(problem: Problem, piece: Piece): Problem {
  const linear = piece.atoms.length === 0;
  return { ...problem, piece, traits: { ...problem.traits, linear, rows: piece.rows.length + problem.links.length } };
}

/** The same problem with decimals as a lattice for the search, instead of a rounding of the answer. */
export const searchingDecimals = (problem: Problem): Problem => ({
  ...problem,
  traits: { ...problem.traits, discrete: problem.traits.discrete || problem.traits.rounded },
});
