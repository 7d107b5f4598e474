/** The types of a search that the parts of `explain` share. */
import type { PolicyDocument, TargetDocument } from '../documents/policy-document.js';
import type { Attempt, CounterfactualDocument } from '../documents/result-document.js';
import type { LoadedModel } from '../models/load.js';
import type { Goal } from '../models/region.js';
import type { Domain } from '../policy/domain.js';
import type { Plausibility } from '../policy/plausibility/plausibility-measure.js';
import type { Policy } from '../policy/policy.js';
import type { Budget } from '../problems/budget.js';
import type { Problem } from '../problems/problem.js';
import type { PieceBounds } from '../solvers/shared/piece-bounds.js';
import { type Climb, isBetter, provedTo, type Rung } from './ladder.js';
import type { PlanParts } from './plan-parts.js';
import type { ProvedPiece } from './regions/box-cover.js';
import type { ReportedAnswer } from './result.js';

export type SearchOutcome = Climb;

/** The ladder of a piece with a proved lower bound on the cost of each answer; -Infinity: no bound is known. */
export interface BoundedLadder {
  readonly ladder: readonly Rung[];
  readonly bound: number;
}

/** A target with the pieces of its region, as problems and as ladders of solvers. */
export interface TargetPlan {
  readonly shown: TargetDocument;
  readonly goals: readonly Goal[];
  /** The policy's plausibility for this target. Null: the policy asks for none. */
  readonly plausibility: Plausibility | null;
  readonly problems: readonly Problem[];
  readonly ladders: readonly (readonly Rung[])[];
  /** The ladders for a search without bounds. */
  readonly unbounded: readonly BoundedLadder[];
  /** A lower bound on the cost of each piece, without a search. Null: at most one piece exists. */
  readonly bounds: PieceBounds | null;
  /** The pieces with their proofs, built when a region is first asked for. */
  pieces?: readonly ProvedPiece[];
}

export interface Search {
  readonly target: TargetPlan;
  readonly attempts: Attempt[];
  readonly budget: Budget;
  /** Any answer suffices: only its existence matters. */
  readonly anyAnswer: boolean;
}

/** The row being explained: the given values, the values with imputation, and the domain. */
export interface Person {
  readonly factual: Float64Array;
  readonly baseline: Float64Array;
  readonly domain: Domain;
}

/** The parts of a plan that diversity and infeasibility need. */
export interface Searcher {
  readonly model: LoadedModel;
  readonly policy: Policy;
  readonly person: Person;
  /** The cheapest verified answer within a domain, over all pieces of the target's region. */
  search(domain: Domain, search: Search): SearchOutcome;
  /** The same for another row, from its values. */
  searchFor(factual: Float64Array, target: TargetDocument, budget: Budget, anyAnswer: boolean): SearchOutcome;
  changes(values: Float64Array): CounterfactualDocument['changes'];
  /** A searcher for the same model under another policy. */
  under(policy: PolicyDocument): Searcher;
  /** Parts that are built for some rows only, and cached. */
  readonly parts: PlanParts;
  /** The memory of the searcher without its model. */
  readonly ownBytes: number;
}

export const asAnswer = ({ answer, solver, lowerBound }: SearchOutcome): ReportedAnswer => ({
  settled: answer!,
  solver,
  lowerBound,
});

/** A region without pieces is a proof that no answer exists. */
export const NO_PIECE: SearchOutcome = { answer: null, solver: '', lowerBound: Infinity, finished: true };

export function leastBoundFirst({ ladders, unbounded, bounds }: TargetPlan, domain: Domain): readonly BoundedLadder[] {
  if (!bounds) return unbounded;
  const least = bounds.at(domain);
  return ladders.map((ladder, k) => ({ ladder, bound: least[k] })).sort((a, b) => a.bound - b.bound);
}

export const withoutBound = (ladder: readonly Rung[]): BoundedLadder => ({ ladder, bound: Number.NEGATIVE_INFINITY });

export function cheaper(a: SearchOutcome, b: SearchOutcome): SearchOutcome {
  const winner = isBetter(b, a) ? b : a;
  return provedTo(winner, Math.min(a.lowerBound, b.lowerBound), a.finished && b.finished);
}

/** The share of the effort for the first of several answers. */
export const FIRST_SHARE = 0.5;

/** The least share of the remaining budget for a piece, however many follow. */
export const LEAST_SHARE = 0.3;
