/**
 * How far one end of a box can be moved. Widening is monotone: what fails stays failed further out, so the furthest end that holds is
 * found by bisection, over a list of candidates or over the values of a domain.
 */
import type { Feature } from '../models/features.js';
import type { BoxVerdict } from '../policy/box-verdict.js';
import type { Domain } from '../policy/domain.js';
import { isContinuous, lastWithin, type Side, spacing } from '../policy/values.js';

/** Moves the end to a value if the box that results is proved; says what came of it. */
export type Attempt = (end: number) => BoxVerdict;

/** The candidates from near to far. Returns the verdict on the first that fails; `proved` when none does. */
export function furthestOf(candidates: readonly number[], attempt: Attempt): BoxVerdict {
  if (!candidates.length) return 'proved';
  let good = -1;
  let bad = candidates.length - 1;
  let refusal = attempt(candidates[bad]);
  if (refusal === 'proved') return 'proved';
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    const verdict = attempt(candidates[middle]);
    if (verdict === 'proved') good = middle;
    else [bad, refusal] = [middle, verdict];
  }
  return refusal;
}

/** Two ends that differ by this share are one. */
const SAME = 1e-9;
/** What an end may move, as a share of the width, for a number with fewer digits. */
const ROUND_SHARE = 1e-6;
const ROUND_DIGITS = [3, 4, 5, 6];
/** What single precision tells apart. */
const END_DIGITS = 7;
const MOST_DOUBLINGS = 64;

/** The same over all values of a domain beyond `start`. */
export function furthestAlong(room: Domain, feature: Feature, start: number, side: Side, attempt: Attempt): BoxVerdict {
  const beyond = (a: number, b: number) => (a - b) * side > 0;
  const end = lastWithin(room, feature, side * Infinity, side);
  if (!beyond(end, start)) return 'proved';
  let refusal = attempt(end);
  if (refusal === 'proved') return 'proved';
  let [good, bad] = [start, end];
  const test = (value: number) => {
    const verdict = attempt(value);
    if (verdict === 'proved') good = value;
    else [bad, refusal] = [value, verdict];
    return verdict === 'proved';
  };
  if (!Number.isFinite(end)) {
    let reach = firstReach(room, feature, start);
    for (let k = 0; k < MOST_DOUBLINGS; k++, reach *= 2) {
      const value = lastWithin(room, feature, start + side * reach, side);
      if (beyond(value, good) && !test(value)) break;
    }
    if (!Number.isFinite(bad)) return refusal;
  }
  for (;;) {
    const value = between(room, feature, good, bad, side);
    if (Number.isNaN(value)) break;
    test(value);
  }
  if (isContinuous(room, feature) && good !== start) tryRound(start, good, side, attempt);
  return refusal;
}

function firstReach(room: Domain, feature: Feature, start: number): number {
  const moved = Math.abs(start - room.origin[feature.column]);
  return Math.max(moved, spacing(room, feature), 1e-6 * Math.max(1, Math.abs(start)));
}

/** A value of the domain about halfway between two; NaN: there is none that counts. */
function between(room: Domain, feature: Feature, good: number, bad: number, side: Side): number {
  const middle = good / 2 + bad / 2;
  const inside = (value: number) => (value - good) * side > 0 && (bad - value) * side > 0;
  if (isContinuous(room, feature) && Math.abs(bad - good) <= SAME * Math.max(Math.abs(good), Math.abs(bad)))
    return Number.NaN;
  const near = lastWithin(room, feature, middle, side);
  if (inside(near)) return near;
  const far = lastWithin(room, feature, middle, -side as Side);
  return inside(far) ? far : Number.NaN;
}

/** 0.39999999973 -> 0.4, where that holds too. */
function tryRound(start: number, end: number, side: Side, attempt: Attempt): void {
  for (const digits of ROUND_DIGITS) {
    const round = Number(end.toPrecision(digits));
    const isClose = Math.abs(round - end) <= ROUND_SHARE * Math.abs(end - start);
    if (isClose && (round - start) * side > 0 && attempt(round) === 'proved') return;
  }
}

/** An end with as few digits as tell it from the start, rounded towards the start: 2275.000122070313 -> 2275.001. */
export function roundInward(start: number, end: number, side: Side): number {
  for (let digits = END_DIGITS; digits <= 15; digits++) {
    const nearest = Number(end.toPrecision(digits));
    const unit = 10 ** (Math.floor(Math.log10(Math.abs(end))) + 1 - digits);
    const inward = (end - nearest) * side >= 0 ? nearest : Number((nearest - side * unit).toPrecision(digits));
    if ((end - inward) * side >= 0 && (inward - start) * side >= 0) return inward;
  }
  return end;
}
