/**
 * Three-valued truth. Floating point cannot decide a comparison whose sides differ by less than their rounding; a judge that
 * guesses there would blame the product for its own errors. `near` refutes nothing and supports nothing.
 */
export type Verdict = 'yes' | 'near' | 'no';

/** The worst of several conditions that must all hold. */
export const both = (a: Verdict, b: Verdict): Verdict =>
  a === 'no' || b === 'no' ? 'no' : a === 'near' || b === 'near' ? 'near' : 'yes';

/** The best of several alternatives. */
export const either = (a: Verdict, b: Verdict): Verdict =>
  a === 'yes' || b === 'yes' ? 'yes' : a === 'near' || b === 'near' ? 'near' : 'no';

export const negate = (a: Verdict): Verdict => (a === 'near' ? 'near' : a === 'yes' ? 'no' : 'yes');

export const certain = (holds: boolean): Verdict => (holds ? 'yes' : 'no');

/** value >= 0 (or > 0 when strict), known up to an error. An error of 0 leaves nothing open. */
export function atLeastZero(value: number, error: number, strict = false): Verdict {
  if (Number.isNaN(value)) return 'no';
  if (value > error) return 'yes';
  if (value < -error) return 'no';
  if (error > 0) return 'near';
  return certain(strict ? value > 0 : value >= 0);
}

/** Rounding of a sum of a few dozen terms, relative to the size of its terms. */
export const ROUNDING = 1e-13;

/** A number so coarse that sums and products of a few of them are exact in double precision. */
export const isCoarse = (value: number): boolean => Math.abs(value) < 2 ** 16 && Number.isInteger(value * 256);
