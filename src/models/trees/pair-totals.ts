/** Trees whose leaves have a number for each of two classes: what a tree adds to both together. */
import type { Forest } from './tree.js';

/** The largest difference of a total from another. */
const TOTAL_ROUNDING = 1e-6;

export const isTotal = (total: number, expected: number): boolean => Math.abs(total - expected) < TOTAL_ROUNDING;

/** By tree. Null: the leaves of a tree have several totals. */
export function pairTotals({ root, left, value, outputs }: Forest): number[] | null {
  const totals: number[] = [];
  for (let t = 0; t < root.length; t++) {
    const end = t + 1 < root.length ? root[t + 1] : left.length;
    let total = Number.NaN;
    for (let n = root[t]; n < end; n++) {
      if (left[n] >= 0) continue;
      const own = value[n * outputs] + value[n * outputs + 1];
      if (Number.isNaN(total)) total = own;
      else if (!isTotal(own, total)) return null;
    }
    totals.push(total);
  }
  return totals;
}
