/**
 * Sums of exponentials, a probability of at least or at most, or a lead of at least, by cutting planes (Kelley) around any exact
 * solver that accepts linear rows, or rows and quadratics (exponents.ts):
 *
 *   h(w) = log Σ_j exp w_j  <=  0,     h(w) = max over shares s of  Σ s_j w_j - Σ s_j log s_j
 *
 * h is convex in w: its tangent, one choice of s, holds for every answer. The tangent is linear in w: a row where w is linear in x, and one
 * quadratic where w is a difference of distances. Each round solves the problem with the tangents found so far. This is a
 * relaxation: its bound holds for the whole problem, and an empty relaxation proves that there is no answer. Tangents are eased by the
 * largest possible rounding and cut off no answer. New tangents are added where the relaxed point breaks a constraint.
 *
 *   h(w) >= 0    is not convex: parts by the largest exponent, chords in them, best bound first (lead-parts.ts)
 *
 * The relaxed points approach the region from outside and may miss it by rounding. Answers come from inside (inner-answers.ts). The proof
 * is the bound from outside. Logarithms keep the tangents well scaled for any small probability.
 */
import { exponentsOf } from '../../models/exponents.js';
import type { Atom, Piece } from '../../models/region.js';
import type { Domain } from '../../policy/domain.js';
import type { Problem } from '../../problems/problem.js';
import { BestAnswer } from '../shared/best-answer.js';
import type { Limits, Outcome, Prepared, Solver, SolverTable } from '../solver.js';
import { CutSearch } from './cut-search.js';
import { InnerAnswers } from './inner-answers.js';
import { leadParts, partCuts } from './lead-parts.js';
import { RelaxedProblems } from './relaxed-problems.js';
import { firstTangents } from './tangents.js';

const TAKEN = new Set<Atom['kind']>(['exp-sum', 'exp-quadratics', 'quadratic']);

/** One condition of each kind that the rounds will contain. */
function firstConditions({ piece, space }: Problem): Piece[] {
  const around = new Float64Array(space.columns);
  return exponentsOf(piece.atoms).flatMap((sum) => {
    if (!sum.atLeast) return firstTangents(sum, around).map(({ eased }) => eased);
    return [...partCuts(leadParts(sum.count)[0])].map(({ a, level }) => sum.condition(a, level, 'eased', around));
  });
}

/** Sums become conditions. Quadratics stay. */
function relax(problem: Problem, table: SolverTable): RelaxedProblems {
  const kept = problem.piece.atoms.filter(({ kind }) => kind === 'quadratic');
  return new RelaxedProblems(problem, kept, firstConditions(problem), table);
}

function accepts(problem: Problem, table: SolverTable): 'no' | 'exact' {
  const { atoms } = problem.piece;
  const fits = exponentsOf(atoms).length > 0 && atoms.every(({ kind }) => TAKEN.has(kind));
  return fits && relax(problem, table).solvers.length ? 'exact' : 'no';
}

class PreparedCuts implements Prepared {
  private readonly sums;
  private readonly relaxed: RelaxedProblems;
  private readonly best: BestAnswer;
  private readonly inner: InnerAnswers;

  constructor(
    private readonly problem: Problem,
    table: SolverTable,
  ) {
    this.sums = exponentsOf(problem.piece.atoms);
    this.relaxed = relax(problem, table);
    this.best = new BestAnswer(problem);
    this.inner = new InnerAnswers(problem, this.sums, this.relaxed, this.best);
  }

  solve(domain: Domain, limits: Limits): Outcome {
    const { problem, sums, relaxed, inner, best } = this;
    best.begin(domain);
    return new CutSearch({ problem, sums, relaxed, inner, best }, domain, limits).run();
  }
}

export const cuts: Solver = {
  name: 'cuts',
  takesParts: true,
  accepts,
  prepare: (problem, table) => new PreparedCuts(problem, table),
};
