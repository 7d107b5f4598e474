/**
 * Problems as plain data:  minimise cost(x' - x) + term(x')  subject to  x' in piece,  x' in the person's domain,  links, clauses.
 *
 * Most problems have no term. A term is at least 0: what bounds the cost bounds the total. Solvers that know nothing of terms never see a
 * problem with one (solvers/index.ts).
 *
 * There is no row in a problem: the row, as a `Domain`, is what changes from call to call. A solver looks at the traits
 * to say whether it accepts.
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
  /** Linear rows that hold always: of the region and of the policy's constraints. */
  readonly rows: number;
  /** Some feature that may change does so in steps, ranks or categories. */
  readonly discrete: boolean;
  /** Some continuous feature is reported with a fixed number of decimals. */
  readonly rounded: boolean;
  /** Fewer features may change than there are. */
  readonly capped: boolean;
  /** The policy ties features together by linear rows. */
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
  /** Minimised beside the cost; null: nothing is. */
  readonly term: CostTerm | null;
  /** Linear rows of the policy, in columns. */
  readonly links: readonly LinearRow[];
  readonly clauses: readonly RowClause[];
  /** How many features may change; Infinity: all. */
  readonly maxChanges: number;
  readonly traits: Traits;
  /** Rows of the training set, by feature, for solvers that start from examples. */
  readonly samples: readonly Float64Array[];
  /** Whether columns reach the goal, by the model's own word. */
  reaches(columns: Float64Array): boolean;
  /** Whether they do, and are plausible where they must be. */
  holds(columns: Float64Array): boolean;
  /** How far columns are inside the goal, by the model's own measure: at least 0 where `holds` says yes. */
  margin(columns: Float64Array): number;
  /** The slope of `margin` by column; null where the model has none. */
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

/** The atoms, where there are some and all are of one kind; else none. */
export function onlyAtoms<K extends AtomKind>(problem: Pick<Problem, 'piece'>, kind: K): AtomOf<K>[] {
  const own = atomsOf(problem, kind);
  return own.length === problem.piece.atoms.length ? own : [];
}

export function withPiece(problem: Problem, piece: Piece): Problem {
  const linear = piece.atoms.length === 0;
  return { ...problem, piece, traits: { ...problem.traits, linear, rows: piece.rows.length + problem.links.length } };
}

/** The same problem with decimals as a lattice to be searched, not as what an answer is rounded to. */
export const searchingDecimals = (problem: Problem): Problem => ({
  ...problem,
  traits: { ...problem.traits, discrete: problem.traits.discrete || problem.traits.rounded },
});
