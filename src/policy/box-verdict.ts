/** The verdict on a claim about every point of a box. */

/** A point of the box, by column, at which the claim seems to fail. The model and the policy decide about the point. */
export interface Refutation {
  readonly point: Float64Array;
}

/** `unknown`: the claim is neither proved nor refuted. */
export type BoxVerdict = 'proved' | 'unknown' | Refutation;

export const isRefuted = (verdict: BoxVerdict): verdict is Refutation => typeof verdict === 'object';

/** The verdict on all claims together. One refutation refutes all. */
export function allOf(verdicts: Iterable<BoxVerdict>): BoxVerdict {
  let sure = true;
  for (const verdict of verdicts) {
    if (isRefuted(verdict)) return verdict;
    if (verdict === 'unknown') sure = false;
  }
  return sure ? 'proved' : 'unknown';
}
