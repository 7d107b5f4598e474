/**
 * Intervals of 95 % confidence.
 *
 *   a share k / n   Wilson's score interval: the shares p with |k - n p| <= z sqrt(n p (1 - p)). The interval stays within [0, 1], and has
 *                   a length also for k = 0 and k = n. Wilson, JASA 22 (1927).
 *   a median        two order statistics. The number of values below the median is binomial (n, 1/2), whatever the distribution:
 *                   [x(l), x(n + 1 - l)] with the largest l for which P(B <= l - 1) <= 2.5 %. Below 6 values there is no such l.
 */
import { binomialAtMost } from './special-functions.js';

export interface ConfidenceInterval {
  readonly low: number;
  readonly high: number;
}

/** The 97.5 % quantile of the normal distribution. */
const Z = 1.959963984540054;
const TAIL = 0.025;

export function wilsonInterval(count: number, total: number): ConfidenceInterval {
  if (total === 0) return { low: 0, high: 1 };
  const share = count / total;
  const z2 = (Z * Z) / total;
  const middle = (share + z2 / 2) / (1 + z2);
  const half = (Z / (1 + z2)) * Math.sqrt((share * (1 - share)) / total + z2 / (4 * total));
  return { low: count === 0 ? 0 : middle - half, high: count === total ? 1 : middle + half };
}

/** The ranks, from 1, of the order statistics around the median. Undefined: too few values. */
export function medianRanks(total: number): ConfidenceInterval | undefined {
  if (0.5 ** total > TAIL) return undefined;
  let [low, high] = [1, Math.ceil(total / 2) + 1]; // the rank `low` suffices, the rank `high` does not
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (binomialAtMost(middle - 1, total, 0.5) <= TAIL) low = middle;
    else high = middle;
  }
  return { low, high: total + 1 - low };
}
