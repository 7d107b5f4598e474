/**
 * The furthest end of a box. Widening is monotone: an end that fails also fails further out. Bisection finds the furthest end that holds,
 * over a list of candidates or over the values of a domain.
 */
import type { Feature } from '../../models/features.js';
import type { BoxVerdict } from '../../policy/box-verdict.js';
import type { Domain } from '../../policy/domain.js';
import { isContinuous, lastWithin, type Side, spacing } from '../../policy/values.js';

/** Moves the end to a value if the resulting box is proved. Returns the verdict. */
export type EndAttempt = (end: number) => BoxVerdict;

/** The furthest end: the first refused value beyond it, with the verdict; `proved` if no value was refused. */
export interface Reach {
  readonly end: number;
  readonly refused: number;
  readonly verdict: BoxVerdict;
}

const isRefused = ({ verdict }: Reach): boolean => verdict !== 'proved';

/** Searches candidates from near to far. */
export function furthestOf(candidates: readonly number[], start: number, attempt: EndAttempt): Reach {
  if (!candidates.length) return { end: start, refused: Number.NaN, verdict: 'proved' };
  let good = -1;
  let bad = candidates.length - 1;
  let verdict = attempt(candidates[bad]);
  if (verdict === 'proved') return { end: candidates[bad], refused: Number.NaN, verdict };
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    const next = attempt(candidates[middle]);
    if (next === 'proved') good = middle;
    else [bad, verdict] = [middle, next];
  }
  return { end: good < 0 ? start : candidates[good], refused: candidates[bad], verdict };
}

/** Two ends whose relative difference is smaller count as one. */
const SAME = 1e-9;
/**
 * Two ends that differ by less than this share of the answer's own value also count as one: an end at an open zero is not searched down to
 * the smallest doubles.
 */
const SAME_FROM_START = 1e-18;
/** The largest move of an end, as a share of the width, to get a number with fewer digits. */
const ROUND_SHARE = 1e-6;
const ROUND_DIGITS = [3, 4, 5, 6];
/** The precision of single-precision numbers, in digits. */
const END_DIGITS = 7;
const MOST_DOUBLINGS = 64;

/** Searches all values of a domain beyond `start`. */
export function furthestAlong(room: Domain, feature: Feature, start: number, side: Side, attempt: EndAttempt): Reach {
  const end = lastWithin(room, feature, side * Infinity, side);
  const first = furthestOf((end - start) * side > 0 ? [end] : [], start, attempt);
  if (!isRefused(first)) return first;
  const reach = Number.isFinite(end) ? first : doubled(room, feature, first, side, attempt);
  // A point that fails somewhere far out does not locate the end.
  if (!Number.isFinite(reach.refused)) return { ...reach, verdict: 'unknown' };
  return furthestBetween(room, feature, start, reach, side, attempt);
}

/** Doubles the distance from the start until an end is refused. */
function doubled(room: Domain, feature: Feature, from: Reach, side: Side, attempt: EndAttempt): Reach {
  const start = from.end;
  let { end, refused, verdict } = from;
  let reach = firstReach(room, feature, start);
  for (let k = 0; k < MOST_DOUBLINGS && !Number.isFinite(refused); k++, reach *= 2) {
    const value = lastWithin(room, feature, start + side * reach, side);
    if (!((value - end) * side > 0)) continue;
    const next = attempt(value);
    if (next === 'proved') end = value;
    else [refused, verdict] = [value, next];
  }
  return { end, refused, verdict };
}

/** Bisects between an end that holds and an end that was refused. */
export function furthestBetween(
  room: Domain,
  feature: Feature,
  start: number,
  from: Reach,
  side: Side,
  attempt: EndAttempt,
): Reach {
  let { end, refused, verdict } = from;
  for (;;) {
    const value = between(room, feature, end, refused, side, SAME_FROM_START * Math.abs(start));
    if (Number.isNaN(value)) break;
    const next = attempt(value);
    if (next === 'proved') end = value;
    else [refused, verdict] = [value, next];
  }
  if (isContinuous(room, feature) && end !== start) tryRound(start, end, side, attempt);
  return { end, refused, verdict };
}

function firstReach(room: Domain, feature: Feature, start: number): number {
  const moved = Math.abs(start - room.origin[feature.column]);
  return Math.max(moved, spacing(room, feature), 1e-6 * Math.max(1, Math.abs(start)));
}

/** A value of the domain about halfway between two; NaN: no such value is different enough. */
function between(room: Domain, feature: Feature, good: number, bad: number, side: Side, tiny: number): number {
  const middle = good / 2 + bad / 2;
  const inside = (value: number) => (value - good) * side > 0 && (bad - value) * side > 0;
  const same = Math.max(tiny, SAME * Math.max(Math.abs(good), Math.abs(bad)));
  if (isContinuous(room, feature) && Math.abs(bad - good) <= same) return Number.NaN;
  const near = lastWithin(room, feature, middle, side);
  if (inside(near)) return near;
  const far = lastWithin(room, feature, middle, -side as Side);
  return inside(far) ? far : Number.NaN;
}

/** 0.39999999973 -> 0.4, if that end holds too. */
function tryRound(start: number, end: number, side: Side, attempt: EndAttempt): void {
  for (const digits of ROUND_DIGITS) {
    const round = Number(end.toPrecision(digits));
    const isClose = Math.abs(round - end) <= ROUND_SHARE * Math.abs(end - start);
    if (isClose && (round - start) * side > 0 && attempt(round) === 'proved') return;
  }
}

/** An end with the fewest digits that distinguish it from the start, rounded towards the start: 2275.000122070313 -> 2275.001. */
export function roundInward(start: number, end: number, side: Side): number {
  for (let digits = END_DIGITS; digits <= 15; digits++) {
    const nearest = Number(end.toPrecision(digits));
    const unit = 10 ** (Math.floor(Math.log10(Math.abs(end))) + 1 - digits);
    const inward = (end - nearest) * side >= 0 ? nearest : Number((nearest - side * unit).toPrecision(digits));
    if ((end - inward) * side >= 0 && (inward - start) * side >= 0) return inward;
  }
  return end;
}
