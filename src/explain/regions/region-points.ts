/**
 * Points of a box at which the model is asked: corners and points between, spread evenly by multiples of irrational numbers. They are
 * deterministic and need no random numbers.
 */
import type { Feature } from '../../models/features.js';
import type { Domain } from '../../policy/domain.js';
import { isListed, listedValues } from '../../policy/listed-values.js';
import { lastWithin } from '../../policy/values.js';

/** Every second point is a corner. */
const CORNER_EVERY = 2;
const GOLDEN = 0.6180339887498949;
const SPREAD = 0.7548776662466927;
/** The distance at which an open end is sampled, in doublings of the answer's own change. */
const DOUBLINGS = 20;

/** Rows by feature: the answer, with the varying features anywhere in the box. */
export function pointsOf(box: Domain, varying: readonly Feature[], answer: Float64Array, count: number) {
  return Array.from({ length: count }, (_, k) => {
    const point = answer.slice();
    for (const [i, feature] of varying.entries()) {
      const share = ((k + 1) * GOLDEN + (i + 1) * (k + 1) * SPREAD) % 1;
      point[feature.index] = isListed(feature)
        ? listedAt(box, feature, share)
        : numberAt(box, feature, answer[feature.index], k % CORNER_EVERY === 0 ? Math.round(share) : share);
    }
    return point;
  });
}

function listedAt(box: Domain, feature: Feature, share: number): number {
  const values = listedValues(box, feature);
  return values[Math.min(values.length - 1, Math.floor(share * values.length))];
}

function numberAt(box: Domain, feature: Feature, answer: number, share: number): number {
  const reach = Math.max(1, Math.abs(answer - box.origin[feature.column])) * 2 ** (share * DOUBLINGS);
  const low = Math.max(box.lower[feature.column], answer - reach);
  const high = Math.min(box.upper[feature.column], answer + reach);
  const value = lastWithin(box, feature, low + share * (high - low), 1);
  return Number.isNaN(value) ? answer : value;
}
