/**
 * The numbers f at which a score that rises with f lies in an interval, in the model's own arithmetic:
 *
 *   { f : from <= score(f) <= to }  =  [first, last],     first and last doubles
 *
 * A probability is rounded. Near 0 and 1 many numbers have the same probability: 1/(1 + e^-f) is 1 for every f from 36.8 on. The inverse of
 * the link in real numbers misses these numbers. Therefore the ends are searched among doubles (lastDouble). A library's exponential may
 * fall by a unit in the last place where its argument rises: the ends are accurate to LINK_ROUNDINGS roundings of 1.
 */
import { lastDouble, nextUp } from '../linalg/floats.js';

/** The effect of an exponential's rounding on its argument, in roundings of 1. */
export const LINK_ROUNDINGS = 2;

export type Ends = readonly [number, number];

/** -Infinity, Infinity: no end on that side. The first is Infinity, or the last -Infinity, where no double has a score in the interval. */
export function endsOf(score: (f: number) => number, from: number, to: number, guess: Ends = [0, 0]): Ends {
  return [firstBeyond(lastDouble((f) => score(f) < from, guess[0])), lastDouble((f) => score(f) <= to, guess[1])];
}

export const isEmpty = ([first, last]: Ends): boolean => !(first <= last) || first === Infinity || last === -Infinity;

/** The first double after the last double that is too small. */
const firstBeyond = (last: number): number => (Number.isFinite(last) ? nextUp(last) : last);
