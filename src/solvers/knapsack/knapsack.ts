/**
 * One sum over features, under a cost that is also a sum over features: a multiple-choice knapsack.
 *
 *   min Σ_j c_j(o_j)   s.t.   Σ_j g_j(o_j) >= need,   at most K changes                l0, l1, l2, percentile
 *
 * A class j is a feature with its options o_j. The bound is that of the linear relaxation, exact in the number of changes (pricing.ts). With
 * its price all options go that no answer close to the bound can have (core.ts), and a list dynamic programme finds the best combination
 * of the rest (option-lists.ts). The distance from the bound starts small and grows until an answer lies within it. Continuous features are
 * moved last (completion.ts).
 *
 * A sum with two ends is searched with the end that is missed. The proof stands if the model confirms the answer of this relaxation.
 *
 * A proof holds for every sum that rounding may give: combinations that miss the need by less than the slack count as answers of the
 * relaxation. The model confirms the cheapest one. If the model refuses it, all combinations within the slack are kept and tried in the order
 * of their costs.
 * Source: Kellerer, Pferschy and Pisinger, Knapsack Problems, 2004, chapter 11.
 */

import type { TreesAtom } from '../../models/region.js';
import type { Domain } from '../../policy/domain.js';
import { FLOPS_PER_UNIT } from '../../problems/budget.js';
import { onlyAtoms, type Problem } from '../../problems/problem.js';
import { isDiagonal } from '../additive/additive-terms.js';
import { BestAnswer } from '../shared/best-answer.js';
import { readsDistances } from '../shared/linear-rows.js';
import { INFEASIBLE, type Limits, limit, numerical, type Outcome, type Prepared, type Solver } from '../solver.js';
import { soleTrees } from '../trees/cells/cells.js';
import { KnapsackSearch } from './knapsack-search.js';
import { Menu } from './menu.js';
import { MovedOptions, type OptionSource } from './moved-options.js';
import { StepOptions } from './step-options.js';
import { areSteps } from './step-tables.js';
import { type MovedSum, QuadraticSum, RowSum } from './sums.js';

/** Work to make an option. */
const FLOPS_PER_ITEM = 16;

const NORMS = new Set(['l0', 'l1', 'l2', 'percentile']);

/**
 * With more values, many combinations have nearly the same cost and sum. For a linear row a branch and bound is then faster. Under l0 the
 * number of values does not matter, and no other method is as fast for quadratics.
 */
const MOST_VALUES = 1_000;
/** The largest effort for a row. Rows that need more are left to the next method. */
const MOST_EFFORT = 2_500;

/** The number of values that features with steps and categories may take. Infinity: such a feature has no bound. */
function valuesOf({ rules }: Problem): number {
  const free = rules.filter(({ never }) => !never);
  return free.reduce((sum, { feature, step, min, max, maxIncrease, maxDecrease }) => {
    if (feature.kind === 'choice') return sum + feature.width;
    const least = step || (feature.decimals >= 0 ? 10 ** -feature.decimals : 0);
    return sum + 1 + (least && Math.min(max - min, maxIncrease + maxDecrease) / least);
  }, 0);
}

/** The only sum of a problem. Null: the problem has another form. */
function sumOf({ piece, ...problem }: Problem): MovedSum | null {
  const { rows, atoms } = piece;
  if (rows.length === 1 && atoms.length === 0) {
    const [row] = rows;
    const hasEnd = row.lower > Number.NEGATIVE_INFINITY || row.upper < Infinity;
    return hasEnd && !readsDistances(row) ? new RowSum(row) : null;
  }
  const [quadratic] = onlyAtoms({ ...problem, piece }, 'quadratic');
  const isOne = rows.length === 0 && atoms.length === 1 && quadratic && isDiagonal(quadratic.form);
  return isOne ? new QuadraticSum(quadratic.form) : null;
}

/** Other methods solve these in closed form. */
const isPlain = ({ traits, piece }: Problem): boolean =>
  !traits.discrete &&
  !traits.rounded &&
  !traits.capped &&
  (traits.norm === 'l2' || (traits.norm === 'l1' && piece.rows.length === 1));

/** Whether the margins are one sum, with one end or with two. */
const isOneSum = ({ margins: [one, other, more] }: TreesAtom): boolean =>
  one !== undefined && !more && (!other || other.gain.every((gain, n) => gain === -one.gain[n]));

/** Trees that look at one feature each. Null: the problem has another form. */
function stepsOf(problem: Problem): TreesAtom | null {
  const atom = soleTrees(problem);
  return atom && !atom.map && !atom.relaxed && isOneSum(atom) && areSteps(atom, problem) ? atom : null;
}

function accepts(problem: Problem): 'no' | 'exact' {
  const { traits, maxChanges } = problem;
  const isFree = !traits.linked && !traits.disjunctive && maxChanges >= 1;
  if (!isFree || !NORMS.has(traits.norm)) return 'no';
  if (stepsOf(problem)) return 'exact';
  const sum = isPlain(problem) ? null : sumOf(problem);
  if (!sum) return 'no';
  const isFast = traits.norm === 'l0' || sum instanceof QuadraticSum || valuesOf(problem) <= MOST_VALUES;
  return isFast ? 'exact' : 'no';
}

class PreparedKnapsack implements Prepared {
  private readonly menu = new Menu();
  private readonly source: OptionSource;
  private readonly search: KnapsackSearch;
  private readonly best: BestAnswer;

  constructor(problem: Problem) {
    const steps = stepsOf(problem);
    this.source = steps
      ? new StepOptions(problem, this.menu, steps)
      : new MovedOptions(problem, this.menu, sumOf(problem)!);
    this.best = new BestAnswer(problem);
    this.search = new KnapsackSearch(problem, this.menu, this.best);
  }

  solve(domain: Domain, given: Limits): Outcome {
    const { menu, search, best, source } = this;
    const limits = { ...given, budget: given.budget.shareEffort(1, MOST_EFFORT) };
    best.begin(domain);
    const lack = source.fill(domain, limits.nudge);
    if (!lack) return numerical('the sum overflows');
    limits.budget.spend((FLOPS_PER_ITEM * menu.items) / FLOPS_PER_UNIT);
    for (let j = 0; j < menu.classes; j++) if (menu.first[j] === menu.first[j + 1]) return INFEASIBLE;
    if (!search.begin(domain, lack, limits)) return search.isSure ? INFEASIBLE : numerical('the gains overflow');
    if (limits.anyAnswer && best.isFound) return limit(best.x, 0);
    return best.conclude(search.run());
  }
}

export const knapsack: Solver = {
  name: 'knapsack',
  accepts,
  prepare: (problem) => new PreparedKnapsack(problem),
};
