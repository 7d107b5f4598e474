/**
 * The cheapest point of the domain within several linear models of the margin and a box, steps, categories and caps included:
 *
 *   min cost(v - x)   s.t.   m_k + g_k·(v - z_k) >= depth  for every tangent k,   v in the domain,  policy kept,   |v_c - a_c| <= ρ s_c
 *
 * The tangents are linear rows, so the exact solvers of the table accept the problem. Each call has a small budget and a gap.
 */
import { atLeast, type LinearRow, polyhedron } from '../../../models/region.js';
import { cloneDomain, type Domain } from '../../../policy/domain.js';
import { narrowTo } from '../../../policy/values.js';
import { type Problem, searchingDecimals, withPiece } from '../../../problems/problem.js';
import { RelaxedProblems } from '../../reductions/relaxed-problems.js';
import type { SolverTable } from '../../solver.js';
import type { PersonSearch } from '../person-search.js';
import type { MarginTangent } from './tangent-step.js';

/** The budget of one step: a share of the remaining work, and a limit in units of effort. */
const SHARE = 0.1;
const MOST_EFFORT = 1500;
const GAP = 5e-4;

/** Solvers of linear rows under the policy of a problem. Null: no solver accepts the problem, or the problem has no discrete part. */
export function latticeProblems(problem: Problem, table: SolverTable): RelaxedProblems | null {
  const { discrete, rounded, capped, disjunctive, norm } = problem.traits;
  if (problem.term || !(discrete || rounded || capped || disjunctive || norm === 'l0')) return null;
  const anyRow = polyhedron([atLeast(new Float64Array(problem.space.columns).fill(1), 0)]);
  const relaxed = new RelaxedProblems(searchingDecimals(withPiece(problem, polyhedron([]))), [], [anyRow], table);
  return relaxed.solvers.length ? relaxed : null;
}

export class LatticeStep {
  constructor(
    private readonly search: PersonSearch,
    private readonly problems: RelaxedProblems,
  ) {}

  /** The cheapest point below a cost bound, placed in the domain. Null: none was found. A radius of Infinity means no box. */
  solve(tangents: readonly MarginTangent[], at: Float64Array, radius: number, below: number): Float64Array | null {
    const { search } = this;
    const domain = this.boxed(at, radius);
    if (!domain) return null;
    const budget = search.limits.budget.shareEffort(SHARE, MOST_EFFORT);
    const limits = { ...search.limits, budget, cutoff: below, gap: GAP, anyAnswer: false };
    const { x } = this.problems.solve([polyhedron(tangents.map((tangent) => this.rowOf(tangent)))], domain, limits);
    const placed = x && search.place(x);
    return placed && search.costOf(placed) < below ? placed : null;
  }

  private rowOf({ x, margin, slope, depth }: MarginTangent): LinearRow {
    const a = new Float64Array(slope.length);
    let lower = depth - margin;
    for (const { column, width } of this.search.free)
      for (let c = column; c < column + width; c++) {
        a[c] = slope[c];
        lower += slope[c] * x[c];
      }
    return atLeast(a, lower);
  }

  private boxed(at: Float64Array, radius: number): Domain | null {
    const { domain, free, scale } = this.search;
    if (radius === Infinity) return domain;
    const boxed = cloneDomain(domain);
    for (const feature of free) {
      const { kind, column } = feature;
      const room = radius * scale[column];
      if (kind !== 'choice' && !narrowTo(boxed, feature, at[column] - room, at[column] + room)) return null;
    }
    return boxed;
  }
}
