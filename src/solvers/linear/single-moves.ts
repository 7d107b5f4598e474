/**
 * Answers that change one feature:  for each move alone, the interval of amounts that all rows permit, and its least amount.
 *
 *   lower_i <= a_i·x + a_ij v <= upper_i for all i      =>      v in an interval
 *
 * These answers cost one pass over the tableau and give a search an incumbent from its first node on. Where every change costs the same
 * (L0) an answer of one change is often the best.
 */
import { type Domain, mayStand } from '../../policy/domain.js';
import { lastWithin } from '../../policy/values.js';
import type { Problem } from '../../problems/problem.js';
import type { MoveCosts } from './move-costs.js';
import type { MoveModel } from './moves.js';

/** How many of these answers are shown to the model, cheapest first. */
const TRIED = 6;

interface Single {
  readonly move: number;
  readonly amount: number;
  readonly cost: number;
  /** In units of the gap. */
  readonly size: number;
}

/** Offers the columns of answers that change one feature until one is taken. */
export function offerSingles(
  problem: Problem,
  model: MoveModel,
  costs: MoveCosts,
  domain: Domain,
  take: (x: Float64Array) => boolean,
): void {
  if (problem.rules.some((rule) => !rule.never && !mayStand(domain, rule.feature))) return;
  const singles: Single[] = [];
  for (let j = 0; j < model.n; j++) {
    const size = leastAlone(model, j);
    if (!(size < Infinity)) continue;
    const amount = model.moves[j].kind === 'choose' ? 1 : size * model.unit[j];
    singles.push({ move: j, amount, cost: costs.of(j, amount), size });
  }
  singles.sort((a, b) => a.cost - b.cost || a.size - b.size || a.move - b.move);
  for (const { move, amount } of singles.slice(0, TRIED)) {
    const x = moved(model, domain, move, amount);
    if (x && take(x)) return;
  }
}

/** The least scaled amount with which a move alone meets all rows; Infinity: no amount does. */
function leastAlone({ n, rows, lo, hi, always, moves, unit }: MoveModel, j: number): number {
  const isChoice = moves[j].kind === 'choose';
  let least = isChoice ? 1 / unit[j] : 0;
  let most = isChoice ? least : Infinity;
  for (let i = 0; i < always.length; i++) {
    const entry = rows[i * n + j];
    if (entry === 0) {
      if (lo[n + i] > 0 || hi[n + i] < 0) return Infinity;
      continue;
    }
    const [one, other] = [lo[n + i] / entry, hi[n + i] / entry];
    least = Math.max(least, Math.min(one, other));
    most = Math.min(most, Math.max(one, other));
  }
  return least <= most ? least : Infinity;
}

/** The columns after a move, on its lattice. Null: the move exceeds its bounds. */
function moved(model: MoveModel, domain: Domain, j: number, amount: number): Float64Array | null {
  const { feature, kind, category } = model.moves[j];
  const { column, width } = feature;
  const x = domain.origin.slice();
  if (kind === 'choose') {
    if (!(domain.upper[column + category] > 0) || domain.origin[column + category] === 1) return null;
    x.fill(0, column, column + width)[column + category] = 1;
    return x;
  }
  const side = kind === 'up' ? 1 : -1;
  const value = lastWithin(domain, feature, domain.origin[column] + side * amount, -side as 1 | -1);
  x[column] = value;
  return Number.isFinite(value) && (value - domain.origin[column]) * side >= 0 ? x : null;
}
