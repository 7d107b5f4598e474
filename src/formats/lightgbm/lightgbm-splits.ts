/**
 * Splits of LightGBM by a threshold -> splits of a document.
 *
 *   before any split, values within ±ZERO become 0: no threshold tells them apart
 *   type NaN    NaN follows the default direction
 *   type None   NaN counts as 0, and the default direction is ignored
 *   type Zero   NaN and 0 follow the default direction
 *
 * For type Zero one comparison suffices where the default side is adjacent to 0. Elsewhere 0 is a hole in the other side, and the split takes
 * three comparisons:
 *
 *   default left,  t < -ZERO     x <= t: left;   else x < -ZERO: right;  else x <= ZERO: left;   else right
 *   default right, t > ZERO      x > t: right;   else x < -ZERO: left;   else x <= ZERO: right;  else left
 */
import { nextDown } from '../../linalg/floats.js';
import type { Split } from './lightgbm-model.js';

/** 1e-35 as a float32. */
const ZERO = Math.fround(1e-35);
const BELOW_ZERO = nextDown(-ZERO);

export interface ThresholdRule {
  readonly threshold: number;
  readonly isMissingLeft: boolean;
}

/** The comparison that decides as the split does; null: it takes three. */
export function comparisonOf({ threshold, missing, isDefaultLeft }: Split): ThresholdRule | null {
  const plain = beside(threshold);
  if (missing === 'NaN') return { threshold: plain, isMissingLeft: isDefaultLeft };
  if (missing === 'None') return { threshold: plain, isMissingLeft: plain >= 0 };
  if (isDefaultLeft === plain >= 0) return { threshold: plain, isMissingLeft: isDefaultLeft };
  if (Math.abs(threshold) > ZERO) return null;
  return { threshold: isDefaultLeft ? ZERO : BELOW_ZERO, isMissingLeft: isDefaultLeft };
}

/** A threshold among the values that count as 0 moves to their end. */
const beside = (threshold: number): number =>
  Math.abs(threshold) > ZERO ? threshold : threshold >= 0 ? ZERO : BELOW_ZERO;

/** The three comparisons around a hole at 0. */
export const holeOf = ({ threshold, isDefaultLeft }: Split): readonly [ThresholdRule, ThresholdRule, ThresholdRule] => [
  { threshold, isMissingLeft: isDefaultLeft },
  { threshold: BELOW_ZERO, isMissingLeft: false },
  { threshold: ZERO, isMissingLeft: false },
];
