/**
 * Sums of increasing functions of columns over a box of the domain, as the model computes them:
 *
 *   Σ_c a_c f_c(x_c) - noise(x) > bound  at every point          proves the sum for computed numbers, ties included
 *
 * A function increases: its least and its largest value are at the ends of its column, and so is the largest noise. The noise is the
 * rounding of the model's sum and of the functions. A box that reaches below the domain of a function is not proved.
 */
import { type AdditiveAtom, arithmeticOf } from '../models/region.js';
import { allOf, type BoxVerdict } from '../policy/box-verdict.js';
import type { Domain } from '../policy/domain.js';
import type { Box } from './box.js';
import { choiceLeast, worstPoint } from './box-rows.js';
import { SUM_ROUNDING } from './rounding.js';

export function proveAdditive(atom: AdditiveAtom, box: Box): BoxVerdict {
  const { row, curves } = atom;
  const below = box.domain.lower.findIndex((low, c) => low <= curves.of(c).above);
  if (below >= 0) return { point: box.at.with(below, box.domain.lower[below]) };
  return allOf([proveAtLeast(atom, row.a, row.lower, box), proveAtLeast(atom, negated(row.a), -row.upper, box)]);
}

const negated = (a: Float64Array): Float64Array => a.map((value) => -value);

function proveAtLeast(atom: AdditiveAtom, a: Float64Array, bound: number, box: Box): BoxVerdict {
  if (bound === -Infinity) return 'proved';
  const rounding = SUM_ROUNDING * (a.length + 4);
  const own = rounding * (Math.abs(bound) + arithmeticOf(atom.row).constant);
  return leastOver(atom, a, rounding, box.domain) - own > bound ? 'proved' : { point: worstPoint(a, bound, box) };
}

/** A lower bound of  Σ a_c f_c(x_c) - noise  over the box. NaN: a sum of opposite infinities. */
function leastOver({ row, curves }: AdditiveAtom, a: Float64Array, rounding: number, box: Domain): number {
  const { terms } = arithmeticOf(row);
  const share = (c: number, low: number, high: number) => {
    if (terms[c] === 0) return 0;
    const curve = curves.of(c);
    const [first, last] = [curve.value(low), curve.value(high)];
    const size = rounding * Math.max(Math.abs(first), Math.abs(last));
    const noise = terms[c] * (size + Math.max(curve.rounding(low), curve.rounding(high)));
    return Math.min(a[c] * first, a[c] * last) - noise;
  };
  const at = (c: number, x: number) => share(c, x, x);
  let total = 0;
  for (const { kind, column, width } of box.space.features)
    total +=
      kind === 'choice' ? choiceLeast(at, column, width, box) : share(column, box.lower[column], box.upper[column]);
  return total;
}
