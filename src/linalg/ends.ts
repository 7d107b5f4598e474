/**
 * Whether a sum lies between two ends. This is the one rule for every condition of a policy: for solvers, proofs and checks.
 *
 *   sum = end     |sum - end| <= tolerance · max(Σ |terms|, |end|)
 *   sum >= end    above or equal
 *   sum > end     above and not equal: where the end is open
 *
 * A sum of decimals that people call equal to the end differs from the end by rounding only: 2.3 - 0.7 is 1.5999999999999999 as doubles. Hence
 * neither `<=` nor `<` looks at the rounding, and each is the opposite of the other.
 */
export interface SumEnds {
  readonly lower: number;
  readonly upper: number;
  /** Open ends, as in x < 5. Absent: all ends are closed. */
  readonly open?: { readonly lower: boolean; readonly upper: boolean };
  /** As a share of the terms. */
  readonly tolerance: number;
}

/** The rounding of a sum of decimals: of its terms, coefficients, products and ends, each to its nearest double, and of the additions. */
export const toleranceOfTerms = (terms: number): number => (2 * terms + OTHER_ROUNDINGS) * 2 ** -53;
const OTHER_ROUNDINGS = 8;

/** `size`: Σ |terms| of the sum. */
export function liesWithin({ lower, upper, open, tolerance }: SumEnds, sum: number, size: number): boolean {
  return (
    reaches(sum, lower, open?.lower ?? false, tolerance * Math.max(size, Math.abs(lower))) &&
    reaches(-sum, -upper, open?.upper ?? false, tolerance * Math.max(size, Math.abs(upper)))
  );
}

function reaches(sum: number, end: number, isOpen: boolean, slack: number): boolean {
  if (end === -Infinity) return !Number.isNaN(sum);
  if (!Number.isFinite(sum)) return sum > end;
  return isOpen ? sum - end > slack : sum - end >= -slack;
}
