/** What is known of a claim about every point of a box. */

/** A point of the box, by column, at which the claim seems to fail; the model and the policy have the last word on the point. */
export interface Refutation {
  readonly point: Float64Array;
}

/** `unknown`: neither is shown. */
export type BoxVerdict = 'proved' | 'unknown' | Refutation;

export const isRefuted = (verdict: BoxVerdict): verdict is Refutation => typeof verdict === 'object';

/** All claims at once: one refutation refutes. */
export function allOf(verdicts: Iterable<BoxVerdict>): BoxVerdict {
  let sure = true;
  for (const verdict of verdicts) {
    if (isRefuted(verdict)) return verdict;
    if (verdict === 'unknown') sure = false;
  }
  return sure ? 'proved' : 'unknown';
}
